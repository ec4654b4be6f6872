import {
  type McpEntry,
  mcpEntrySchema,
  mcpNamePattern,
  parseMcpEntry,
  type Store,
  toolKey,
  type Workspace,
} from '@troupe/core'
import { isSameOrigin, NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { type ConfigFile, dropSecrets } from '../config/config.ts'
import { route, type Route } from '../http/route.ts'
import type { Mcp } from './open-mcp.ts'
import type { WorkspaceMcp } from './workspace-mcp.ts'

const { type, command, args, env, cwd, url, headers, oauth, timeout } = mcpEntrySchema.shape
const fields = { type, command, args, env, cwd, url, headers, oauth, timeout }
const name = z.string().regex(mcpNamePattern, 'at most 30 letters, digits, "_", "." and "-", no two "_" in a row')
const useTools = z.array(z.string().max(300)).max(5000).nullable()
const patchSchema = z.strictObject({
  type: type.nullable(),
  command: command.nullable(),
  args: args.nullable(),
  env: env.nullable(),
  cwd: cwd.nullable(),
  url: url.nullable(),
  headers: headers.nullable(),
  oauth: oauth.nullable(),
  timeout: timeout.nullable(),
  enabled: z.boolean().optional(),
  useTools: useTools.optional(),
})

/** Environment and header values are write-only. */
export function mcpRoutes(options: { mcp: Mcp; config: ConfigFile; store: Store }): Route[] {
  const { mcp, config, store } = options
  const of = async (workspaceId: string): Promise<WorkspaceMcp> =>
    mcp.of((await store.workspaces.get(workspaceId)) as Workspace)

  return [
    route({
      method: 'GET',
      path: '/ai/mcp',
      summary: 'The MCP servers of the workspace with their state and tools, and what is wrong with the files.',
      scoped: true,
      answers: { 200: '{servers, problems}' },
      async handle(c, { workspaceId }) {
        const servers = await of(workspaceId)
        return c.json({ servers: servers.views(), problems: servers.problems() })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/mcp',
      summary: 'Adds an MCP server to config.json of the home: a command, or an address.',
      body: z.strictObject({ name, ...fields }),
      scoped: true,
      answers: { 201: '{server}', 400: 'BadRequest', 409: 'McpExists' },
      async handle(c, { body, workspaceId }) {
        const { name: given, ...rest } = body
        const servers = await of(workspaceId)
        const taken = [...servers.views().map((one) => one.name), ...Object.keys(config.get().mcpServers ?? {})]
        if (taken.some((one) => toolKey(one) === toolKey(given)))
          throw new NamedError('McpExists', `There is an MCP server "${given}" already.`, { status: 409 })
        await save(servers, given, rest)
        return c.json({ server: servers.view(given) }, 201)
      },
    }),
    route({
      method: 'GET',
      path: '/ai/mcp/callback',
      summary: 'Where a person comes back to from the login of an MCP server.',
      // The browser returns from an external site without our credential. Only the server and the login know the state.
      open: true,
      query: z.object({ state: z.string().max(200), code: z.string().max(4000).optional() }).loose(),
      answers: { 200: 'a sentence for the person', 400: 'McpLoginUnknown' },
      async handle(c, { query }) {
        const { state = '', code, iss } = query
        if (code === undefined)
          throw new NamedError('McpLoginUnknown', 'The login was not finished. Close this page and try again.', {
            status: 400,
          })
        await mcp.logins.finish({ state, code, iss })
        mcp.reconnect()
        return c.text('You are logged in. You can close this page.')
      },
    }),
    route({
      method: 'GET',
      path: '/ai/mcp/:name',
      summary: 'One MCP server.',
      scoped: true,
      answers: { 200: '{server}', 404: 'McpNotFound' },
      handle: async (c, { params, workspaceId }) =>
        c.json({ server: (await of(workspaceId)).view(params['name'] as string) }),
    }),
    route({
      method: 'PATCH',
      path: '/ai/mcp/:name',
      summary:
        'Enables or disables an MCP server, picks its tools (null: all), changes how it is reached (null removes). Headers stay with the server that they were given for.',
      body: patchSchema,
      scoped: true,
      answers: { 200: '{server, dropped}', 400: 'BadRequest', 404: 'McpNotFound', 409: 'McpNotYours' },
      async handle(c, { params, body, workspaceId }) {
        const servers = await of(workspaceId)
        const { enabled, useTools: picked, ...changes } = body
        const { name: known, entry, editable, file } = servers.source(params['name'] as string)
        let dropped: string[] = []
        if (Object.keys(changes).length > 0) {
          if (!editable) throw notYours(known, file)
          const next: Record<string, unknown> = { ...entry, ...changes }
          for (const [key, value] of Object.entries(next)) if (value === null) delete next[key]
          const { url: to } = next
          if (!isSameOrigin(entry?.url, typeof to === 'string' ? to : undefined))
            dropped = dropSecrets(next, changes, ['headers', 'oauth'])
          await save(servers, known, next)
        }
        const server = servers.remember(known, {
          enabled,
          useTools: picked,
        })
        return c.json({ server, dropped })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/mcp/:name',
      summary: 'Removes an MCP server from config.json of the home. One of a project can only be disabled.',
      scoped: true,
      answers: { 200: '{deleted}', 404: 'McpNotFound', 409: 'McpNotYours' },
      async handle(c, { params, workspaceId }) {
        const servers = await of(workspaceId)
        const { name: known, editable, file, entry } = servers.source(params['name'] as string)
        if (!editable) throw notYours(known, file)
        await config.update((current) => ({
          ...current,
          mcpServers: Object.fromEntries(Object.entries(current.mcpServers ?? {}).filter(([one]) => one !== known)),
        }))
        servers.forget(known)
        if (entry?.url !== undefined) mcp.logins.forget(entry.url)
        mcp.refresh()
        return c.json({ deleted: known })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/mcp/:name/test',
      summary: 'Connects anew and says how it went.',
      scoped: true,
      answers: { 200: '{test: {ok, ms, error}, server}', 404: 'McpNotFound' },
      async handle(c, { params, workspaceId }) {
        const begun = performance.now()
        const server = await (await of(workspaceId)).test(params['name'] as string)
        const ms = Math.round(performance.now() - begun)
        return c.json({ test: { ok: server.state === 'ready', ms, error: server.error }, server })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/mcp/:name/trust',
      summary: 'Trusts what is started, or the tools that are listed: exactly what the fingerprint stands for.',
      body: z.strictObject({ fingerprint: z.string().max(200) }),
      scoped: true,
      answers: { 200: '{server}', 404: 'McpNotFound', 409: 'McpChanged' },
      handle: async (c, { params, body, workspaceId }) =>
        c.json({ server: (await of(workspaceId)).trust(params['name'] as string, body.fingerprint) }),
    }),
    route({
      method: 'POST',
      path: '/ai/mcp/:name/login',
      summary: 'Begins a login; the address is where the person has to go, null when they are logged in.',
      scoped: true,
      answers: { 200: '{url}', 404: 'McpNotFound', 409: 'McpNoLogin', 502: 'McpLoginFailed' },
      async handle(c, { params, workspaceId }) {
        const known = params['name'] as string
        const at = (await of(workspaceId)).config(known)
        if (at === undefined || at.type === 'stdio')
          throw new NamedError('McpNoLogin', `The MCP server "${known}" has no login, or cannot be used now.`, {
            status: 409,
          })
        const found = await mcp.logins.begin(at).catch((error: unknown) => {
          throw new NamedError('McpLoginFailed', `The login cannot begin: ${(error as Error).message}`, { status: 502 })
        })
        return c.json({ url: found ?? null })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/mcp/:name/log',
      summary: 'The end of what an MCP server has printed and said.',
      scoped: true,
      answers: { 200: '{log}', 404: 'McpNotFound' },
      handle: async (c, { params, workspaceId }) =>
        c.json({ log: (await of(workspaceId)).log(params['name'] as string) }),
    }),
    route({
      method: 'POST',
      path: '/ai/mcp/:name/prompts/:prompt',
      summary: 'The text of a prompt that an MCP server offers, with its arguments filled in.',
      body: z.strictObject({ arguments: z.record(z.string(), z.string().max(20_000)).default({}) }),
      scoped: true,
      answers: { 200: '{messages}', 404: 'McpNotFound', 409: 'McpNotRunning', 502: 'McpFailed' },
      async handle(c, { params, body, workspaceId }) {
        const servers = await of(workspaceId)
        const { messages } = await servers.getPrompt(
          params['name'] as string,
          params['prompt'] as string,
          body.arguments,
        )
        return c.json({ messages })
      },
    }),
  ]

  /** The user entered this server, so it is trusted. Throws `BadRequest` before writing anything. */
  async function save(servers: WorkspaceMcp, known: string, given: Record<string, unknown>): Promise<void> {
    const entry = checked(given)
    servers.accept(known, entry)
    await config.update((current) => ({ ...current, mcpServers: { ...current.mcpServers, [known]: entry } }))
    mcp.refresh()
  }
}

function checked(given: Record<string, unknown>): McpEntry {
  const { name: _, ...rest } = given
  try {
    return parseMcpEntry(rest)
  } catch (error) {
    throw new NamedError('BadRequest', `The MCP server is not valid: ${(error as Error).message}.`, { cause: error })
  }
}

function notYours(known: string, file: string): NamedError {
  const text = `The MCP server "${known}" stands in ${file}: change it there. You can disable it, and pick its tools.`
  return new NamedError('McpNotYours', text, { status: 409 })
}

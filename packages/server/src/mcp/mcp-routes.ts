import path from 'node:path'
import { parseMcpEntry, type Store, toolKey, type Workspace } from '@troupe/core'
import { isSameOrigin, type McpEntry, mcpEndpoints, NamedError } from '@troupe/protocol'
import { type ConfigFile, dropSecrets } from '../config/config.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import { fileChanged, writeMcpEntry } from './mcp-file.ts'
import type { Mcp } from './open-mcp.ts'
import type { McpSource } from './server-status.ts'
import type { WorkspaceMcp } from './workspace-mcp.ts'

/** Environment and header values are write-only. */
export function mcpRoutes(options: { mcp: Mcp; config: ConfigFile; store: Store }): Route[] {
  const { mcp, config, store } = options
  const of = async (workspaceId: string): Promise<WorkspaceMcp> =>
    mcp.of((await store.workspaces.get(workspaceId)) as Workspace)

  return implement(mcpEndpoints, {
    'GET /ai/mcp': async ({ workspaceId }) => {
      const servers = await of(workspaceId)
      return { servers: servers.views(), problems: servers.problems() }
    },
    'POST /ai/mcp': async ({ body: { name, ...rest }, workspaceId }) => {
      const servers = await of(workspaceId)
      const taken = [...servers.views().map((one) => one.name), ...Object.keys(config.get().mcpServers ?? {})]
      if (taken.some((one) => toolKey(one) === toolKey(name)))
        throw new NamedError('McpExists', `An MCP server named "${name}" already exists.`, { status: 409 })
      await save(servers, name, rest)
      return { server: servers.view(name) }
    },
    'GET /ai/mcp/callback': async ({ query: { state, code, iss } }, c) => {
      if (code === undefined)
        throw new NamedError('McpLoginUnknown', 'The login was not finished. Close this page and try again.', {
          status: 400,
        })
      await mcp.logins.finish({ state, code, iss })
      mcp.reconnect()
      return c.text('You are logged in. You can close this page.')
    },
    'GET /ai/mcp/:name': async ({ params, workspaceId }) => ({ server: (await of(workspaceId)).view(params.name) }),
    'PATCH /ai/mcp/:name': async ({ params, body: { enabled, useTools, version, ...changes }, workspaceId }) => {
      const servers = await of(workspaceId)
      const source = servers.source(params.name)
      const { name, entry } = source
      let dropped: string[] = []
      if (Object.keys(changes).length > 0) {
        if (version !== undefined && version !== source.version) throw fileChanged(source.file)
        const next: Record<string, unknown> = { ...entry, ...changes }
        for (const [key, value] of Object.entries(next)) if (value === null) delete next[key]
        const { url } = next
        if (!isSameOrigin(entry?.url, typeof url === 'string' ? url : undefined))
          dropped = dropSecrets(next, changes, ['headers', 'oauth'])
        await change(servers, source, next, workspaceId)
      }
      return { server: servers.remember(name, { enabled, useTools }), dropped }
    },
    'DELETE /ai/mcp/:name': async ({ params, workspaceId }) => {
      const servers = await of(workspaceId)
      const source = servers.source(params.name)
      const { name, entry } = source
      if (source.file === config.path)
        await config.update((current) => ({
          ...current,
          mcpServers: Object.fromEntries(Object.entries(current.mcpServers ?? {}).filter(([one]) => one !== name)),
        }))
      else await write(source, undefined, workspaceId)
      servers.forget(name)
      if (entry?.url !== undefined) mcp.logins.forget(entry.url)
      mcp.refresh()
      return { deleted: name }
    },
    'POST /ai/mcp/:name/test': async ({ params, workspaceId }) => {
      const begun = performance.now()
      const server = await (await of(workspaceId)).test(params.name)
      const ms = Math.round(performance.now() - begun)
      return { test: { ok: server.state === 'ready', ms, error: server.error }, server }
    },
    'POST /ai/mcp/:name/trust': async ({ params, body, workspaceId }) => ({
      server: (await of(workspaceId)).trust(params.name, body.fingerprint),
    }),
    'POST /ai/mcp/:name/login': async ({ params: { name }, workspaceId }) => {
      const at = (await of(workspaceId)).config(name)
      if (at === undefined || at.type === 'stdio')
        throw new NamedError('McpNoLogin', `The MCP server "${name}" has no login or is not available.`, {
          status: 409,
        })
      const found = await mcp.logins.begin(at).catch((error: unknown) => {
        throw new NamedError('McpLoginFailed', `The login could not be started: ${(error as Error).message}`, {
          status: 502,
        })
      })
      return { url: found ?? null }
    },
    'GET /ai/mcp/:name/log': async ({ params, workspaceId }) => ({ log: (await of(workspaceId)).log(params.name) }),
    'POST /ai/mcp/:name/prompts/:prompt': async ({ params, body, workspaceId }) => {
      const { messages } = await (await of(workspaceId)).getPrompt(params.name, params.prompt, body.arguments)
      return { messages }
    },
  })

  /** A server of the user's is trusted as changed. One of a project needs trust again, like after any other change. */
  async function change(
    servers: WorkspaceMcp,
    source: McpSource,
    given: Record<string, unknown>,
    workspaceId: string,
  ): Promise<void> {
    if (source.file === config.path) return save(servers, source.name, given)
    const entry = checked(given)
    await write(source, entry, workspaceId)
    if (source.origin === 'home') servers.accept(source.name, entry)
    mcp.refresh()
  }

  async function write(source: McpSource, entry: McpEntry | undefined, workspaceId: string): Promise<void> {
    const { path: folder } = await findWorkspace(store, workspaceId)
    const root = source.origin === 'home' ? path.dirname(config.path) : folder
    writeMcpEntry(source.file, { root, name: source.name, version: source.version, entry })
  }

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
    throw new NamedError('BadRequest', `The MCP server is invalid: ${(error as Error).message}.`, { cause: error })
  }
}

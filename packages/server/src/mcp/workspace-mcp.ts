import {
  type McpStateFile,
  type McpServerState,
  type McpSources,
  type McpSource,
  type PlannedServer,
  planServer,
  toMcpInfo,
  usedTools,
} from './server-status.ts'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createMcpServer,
  createResourceTools,
  createTransport,
  type Isolation,
  type McpConnection,
  mcpFingerprint,
  type McpLimits,
  type McpServer,
  type McpServerConfig,
  redact,
  type Tool,
  toolKey,
  type Workspace,
} from '@troupe/core'
import { type McpEntry, type McpInfo, NamedError } from '@troupe/protocol'
import type { OAuthLogins } from './oauth-logins.ts'

export interface WorkspaceMcp {
  /** Starts, restarts and stops servers according to the config files, which are read unless `found` is given. */
  refresh(workspace: Workspace, found?: ReturnType<McpSources['list']>): void
  tools(): readonly Tool[]
  problems(): { path: string; message: string }[]
  /** Waits for servers on their first connection. Returns the names of those that are not ready. */
  ready(ms: number): Promise<string[]>
  /** Also waits for their prompts and resources. */
  complete(ms: number): Promise<void>
  servers(): McpServer[]
  /** Throws `McpNotFound` (404), `McpNotRunning` (409), `McpFailed` (502). */
  getPrompt(server: string, prompt: string, given: Record<string, string>): ReturnType<McpConnection['getPrompt']>
  views(): McpInfo[]
  /** Throws `McpNotFound` (404). */
  view(name: string): McpInfo
  server(name: string): McpServer
  log(name: string): string
  /** Reconnects and returns the result. */
  test(name: string): Promise<McpInfo>
  /** Throws `McpChanged` (409) if it differs from what the user saw. */
  trust(name: string, fingerprint: string): McpInfo
  remember(name: string, change: Pick<McpServerState, 'enabled' | 'useTools'>): McpInfo
  /** Trusts an entry the user edited. */
  accept(name: string, entry: McpEntry): void
  forget(name: string): void
  reconnect(): void
  source(name: string): McpSource
  /** Returns the connection config, or undefined if the server is unavailable. */
  config(name: string): McpServerConfig | undefined
  close(): Promise<void>
}

export interface WorkspaceMcpOptions {
  sources: McpSources
  memories: McpStateFile
  logins: OAuthLogins
  env: NodeJS.ProcessEnv
  /** In team mode: the isolation of a folder's own programs. */
  folderIsolation?: ((workspace: string) => Isolation) | undefined
  warden: () => { watch(pid: number): void; release(pid: number): void }
  mark: string
  limits?: Partial<McpLimits>
  onSecrets(secrets: readonly string[]): void
}

export function createWorkspaceMcp(first: Workspace, options: WorkspaceMcpOptions): WorkspaceMcp {
  const { sources, memories, logins } = options
  let workspace = first
  let running = new Map<string, PlannedServer>()
  let fileProblems: { path: string; message: string }[] = []
  let clashes: { path: string; message: string }[] = []
  let tools: readonly Tool[] | undefined
  const ending = new Set<Promise<void>>()

  const mcp: WorkspaceMcp = {
    refresh(next, found = sources.list(next)) {
      workspace = next
      fileProblems = found.problems
      const before = running
      running = new Map()
      for (const source of found.servers) {
        const planned = planServer(source, { memories, folder: workspace.path, env: options.env })
        const known = before.get(source.name)
        if (known?.version === planned.version) {
          before.delete(source.name)
          running.set(source.name, Object.assign(known, { source, memory: planned.memory }))
        } else {
          running.set(source.name, planned)
        }
      }
      for (const { server } of before.values()) if (server !== undefined) end(server)
      for (const one of running.values()) if (one.state === 'running' && one.server === undefined) start(one)
      tools = undefined
    },
    tools() {
      tools ??= collect()
      return tools
    },
    problems: () => [...fileProblems, ...(mcp.tools(), clashes)],
    async ready(ms) {
      const waited = mcp.servers().filter(({ state }) => state === 'connecting')
      if (waited.length === 0) return []
      const missing = new Set(waited.map(({ name }) => name))
      await withTimeout(
        ms,
        waited.map((server) => server.settled().then(() => missing.delete(server.name))),
      )
      return [...missing]
    },
    complete: (ms) =>
      withTimeout(
        ms,
        mcp.servers().map((server) => server.complete()),
      ),
    servers: () => [...running.values()].flatMap(({ server }) => server ?? []),
    async getPrompt(name, prompt, given) {
      const server = mcp.server(name)
      try {
        return await server.connection().getPrompt(prompt, given)
      } catch (error) {
        throw new NamedError('McpFailed', (error as Error).message, { status: 502, cause: error })
      }
    },
    views: () => [...running.values()].map((one) => toMcpInfo(one, logins.state(one.config))),
    view: (name) => toMcpInfo(find(name), logins.state(find(name).config)),
    source: (name) => find(name).source,
    config: (name) => find(name).config,
    server(name) {
      const { server, error } = find(name)
      if (server === undefined)
        throw new NamedError('McpNotRunning', `The MCP server "${name}" is not running. ${error ?? ''}`.trim(), {
          status: 409,
        })
      return server
    },
    log: (name) => find(name).server?.log() ?? '',
    async test(name) {
      const one = find(name)
      if (one.state === 'running') await one.server?.connect()
      return mcp.view(name)
    },
    trust(name, fingerprint) {
      const one = find(name)
      const { trust } = mcp.view(name)
      if (trust?.fingerprint !== fingerprint)
        throw new NamedError(
          'McpChanged',
          `The MCP server "${name}" has changed since you reviewed it. Review it again.`,
          {
            status: 409,
          },
        )
      if (trust.what === 'tools') one.server?.acceptTools()
      else {
        memories.change(one.source, workspace.path, { command: fingerprint, tools: undefined })
        mcp.refresh(workspace)
      }
      return mcp.view(name)
    },
    remember(name, change) {
      memories.change(find(name).source, workspace.path, change)
      mcp.refresh(workspace)
      return mcp.view(name)
    },
    accept(name, entry) {
      memories.change({ origin: 'home', name }, workspace.path, { command: mcpFingerprint(entry), tools: undefined })
    },
    forget(name) {
      memories.forget(find(name).source, workspace.path)
    },
    reconnect() {
      for (const { server } of running.values()) if (server?.state === 'failed') void server.connect()
    },
    async close() {
      for (const { server } of running.values()) if (server !== undefined) end(server)
      running.clear()
      await Promise.all(ending)
    },
  }
  mcp.refresh(first)
  return mcp

  function find(name: string): PlannedServer {
    const one = running.get(name)
    if (one === undefined)
      throw new NamedError('McpNotFound', `There is no MCP server "${name.slice(0, 100)}".`, { status: 404 })
    return one
  }

  function start(one: PlannedServer): void {
    const { source, config } = one
    if (config === undefined) return
    const secrets = configSecrets(config)
    options.onSecrets(secrets)
    const timeout = source.entry?.timeout
    const limits = { ...options.limits, ...(timeout !== undefined && { callMs: timeout }) }
    const server = createMcpServer({
      name: source.name,
      limits,
      trustsHints: true,
      trusted: {
        get: () => memories.of(source, workspace.path).tools,
        set: (fingerprint) => memories.change(source, workspace.path, { tools: fingerprint }),
      },
      transport: (onText) =>
        createTransport(config, {
          folder: workspace.path,
          env: options.env,
          mark: options.mark,
          limits,
          onText,
          warden: config.type === 'stdio' ? options.warden() : undefined,
          isolation: options.folderIsolation && {
            of: options.folderIsolation(workspace.path),
            // A project is the work of members. Only an administrator may give a program the machine's network.
            network: source.origin === 'home',
            roots: [workspace.path],
          },
          authProvider: config.type === 'stdio' ? undefined : logins.provider(config),
        }),
      onChange: () => void (tools = undefined),
      redact: (text) => redact(text, secrets),
    })
    one.server = server
    void server.connect()
  }

  function end(server: McpServer): void {
    const over = server.close().finally(() => ending.delete(over))
    ending.add(over)
  }

  /** Collects enabled tools. On a name clash the first wins, since a rule must not match both. */
  function collect(): Tool[] {
    clashes = []
    const taken = new Map<string, string>()
    const all: Tool[] = []
    for (const { server, source, memory } of running.values()) {
      const used = usedTools(source.entry, memory)
      const listed = server?.listed ?? []
      for (const [index, tool] of (server?.tools() ?? []).entries()) {
        if (used !== undefined && !used.has(listed[index]?.name ?? '')) continue
        const key = toolKey(tool.name)
        const other = taken.get(key)
        if (other === undefined) {
          taken.set(key, source.name)
          all.push(tool)
        } else {
          const why = `The tool ${tool.name} of the MCP server "${source.name}" was skipped: "${other}" has a tool with the same name.`
          clashes.push({ path: source.file, message: why })
        }
      }
    }
    const servers = mcp.servers()
    return servers.some(({ resources }) => resources.length > 0) ? [...all, ...createResourceTools(servers)] : all
  }
}

async function withTimeout(ms: number, all: readonly Promise<unknown>[]): Promise<void> {
  const timer = new AbortController()
  await Promise.race([Promise.all(all), delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
}

/** Returns values to redact: headers, and variables named like keys. */
function configSecrets(config: McpServerConfig): string[] {
  if (config.type !== 'stdio')
    return [
      ...Object.values(config.headers).flatMap((value) => [value, value.split(' ').at(-1) as string]),
      config.client?.client_secret ?? '',
    ]
  const named = Object.entries(config.env).filter(([name]) => /key|token|secret|pass|auth|credential/i.test(name))
  return named.map(([, value]) => value)
}

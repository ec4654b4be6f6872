import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { enabledTools, getBuiltinTools, loadTools, NamedError, type PermissionRules, type Store, type Tool, type Workspace } from '@troupe/core'
import { createAccess } from './access.ts'
import { createApp } from './app.ts'
import { createBlobFiles } from './blob-files.ts'
import { openConfig, type ConfigFile } from './config.ts'
import { lockHome, openHome, type Home } from './home.ts'
import { createInbox } from './inbox.ts'
import { instructionsFor } from './instructions.ts'
import { createJournal } from './journal.ts'
import { createLive, type Live } from './live.ts'
import { createLogger, type Logger, type LogLevel } from './logger.ts'
import { createModels, type Models } from './models.ts'
import { askRoutes } from './routes/asks.ts'
import { authRoutes } from './routes/auth.ts'
import { blobRoutes } from './routes/blobs.ts'
import { chatRoutes } from './routes/chat.ts'
import { debugRoutes } from './routes/debug.ts'
import { healthRoutes } from './routes/health.ts'
import { modelRoutes } from './routes/models.ts'
import { providerRoutes } from './routes/providers.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { toolRoutes } from './routes/tools.ts'
import { workspaceRoutes } from './routes/workspace.ts'
import type { Route } from './route.ts'
import { openSqliteStore } from './stores/sqlite.ts'
import { createWebFiles } from './web-files.ts'

export interface ServerOptions {
  /** Default: `$TROUPE_HOME`, else `~/.troupe`. */
  home?: string
  /** The folder to work in. Default: the current one. */
  workspace?: string
  env?: NodeJS.ProcessEnv
  /** 0 picks a free one. Default: `$TROUPE_PORT`, else 4880. */
  port?: number
  /** Loopback only: there are no user accounts. */
  host?: string
  /** False: no port is opened, `fetch` is the only door. */
  listen?: boolean
  /** Look for model servers on this machine. Default: true. */
  probe?: boolean
  logLevel?: LogLevel
  log?(text: string): void
  /** Where the built page lies. */
  webFolder?: string
  /** Models of an embedding program, by `provider/model`, beside those of the providers. */
  models?: Record<string, LanguageModelV4>
  /** For tests: how long a provider may be silent. */
  stallMs?: number
}

export interface Server {
  /** With a one-time key: what a person opens. */
  url: string
  port: number
  token: string
  /** Another address with a fresh key. */
  newUrl(): string
  /** The same requests without a port; `Host` and the token are filled in. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  home: Home
  config: ConfigFile
  models: Models
  store: Store
  live: Live
  workspace: Workspace
  problems: { path: string; message: string }[]
  close(): Promise<void>
}

export const version: string = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version

/** Starts everything on one home. Throws `HomeOwned` (with the owner's address) when another process has it. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = process.env, listen = true, host = '127.0.0.1' } = options
  if (!isLoopback(host)) throw new NamedError('NotLoopback', `Troupe has no user accounts yet, so it serves this machine only: "${host}" is refused. Use 127.0.0.1 and a tunnel.`)
  const home = openHome({ ...(options.home !== undefined && { path: options.home }), env })
  const lock = lockHome(home)
  if ('ownedBy' in lock) {
    throw new NamedError('HomeOwned', `Another process works in ${home.path}${lock.ownedBy?.url ? ` (${lock.ownedBy.url})` : ''}.`, { status: 409, data: { owner: lock.ownedBy ?? null } })
  }
  const closers: (() => unknown)[] = [() => lock.release()]
  try {
    const config = openConfig(home)
    const models = createModels({ settings: () => config.get().providers ?? {}, env, defaultModel: () => env['TROUPE_MODEL'] || config.get().model || undefined, ...(options.probe !== undefined && { probe: options.probe }) })
    const logger: Logger = createLogger({
      ...(options.logLevel !== undefined && { level: options.logLevel }),
      write: (text) => (options.log ?? ((line) => process.stderr.write(line)))(models.redact(text)),
      secrets: () => [home.token],
    })
    const store = await openSqliteStore({ home: home.path, log: logger })
    closers.push(() => store.close())
    const workspace = await store.workspaces.open(path.resolve(options.workspace ?? process.cwd()))
    const tools = openTools({ home: home.path, store, workspace, logger })
    await tools.load()
    const journal = createJournal(store, { onError: (error) => logger({ level: 'error', message: 'the journal was not written', error: String(error) }) })
    closers.push(() => journal.close())
    const inbox = createInbox(store)
    const blobs = createBlobFiles(path.join(home.path, 'blobs'))
    const useTools = (): readonly string[] | null | undefined => config.get().useTools
    const chatModel = async (id?: string): Promise<{ id: string; model: LanguageModelV4 }> => {
      const own = id === undefined ? undefined : options.models?.[id]
      return id !== undefined && own !== undefined ? { id, model: own } : models.resolveChatModel(id)
    }
    const live = createLive({
      store,
      blobs,
      journal,
      inbox,
      logger,
      model: chatModel,
      tools: () => enabledTools(useTools(), tools.list()),
      instructions: (session) => Promise.resolve(instructionsFor(session, workspace.path)),
      workspace: async (session) => (await store.workspaces.get(session.workspaceId)) ?? workspace,
      rules: () => rulesOf(config),
      limits: () => limitsOf(config),
      recovery: () => config.get().recovery ?? 'continue',
      credentials: () => Promise.resolve(undefined),
      ...(options.stallMs !== undefined && { stallMs: options.stallMs }),
    })
    closers.push(() => live.close())

    let port = 0
    const access = createAccess({ token: home.token, port: () => port, hosts: () => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`] })
    const context = { store, live, inbox, blobs, models, config, access, workspaceId: workspace.id, modelId: async (id?: string) => (await chatModel(id)).id }
    const routes: Route[] = [
      ...authRoutes(context),
      ...chatRoutes(context),
      ...sessionRoutes(context),
      ...askRoutes(context),
      ...blobRoutes(context),
      ...modelRoutes({ models, defaultModel: () => context.modelId().catch(() => null) }),
      ...providerRoutes(context),
      ...toolRoutes({ tools: tools.list, useTools, problems: () => [...tools.problems(), ...models.problems()] }),
      ...workspaceRoutes({ store, workspace: async () => (await store.workspaces.get(workspace.id)) ?? workspace, onTrust: tools.load }),
      ...debugRoutes({ store, workspaceId: workspace.id, instructions: (session) => Promise.resolve(instructionsFor(session, workspace.path)) }),
      ...healthRoutes({ version, routes: () => routes }),
    ]
    const app = createApp({ routes, access, logger, files: createWebFiles(options.webFolder ?? path.resolve(import.meta.dirname, '../../web/dist')) })
    await live.recover()
    if (listen) {
      const wanted = options.port ?? Number(env['TROUPE_PORT'] || 4880)
      const server = await listenOn(app, wanted, host)
      port = (server.address() as AddressInfo).port
      closers.push(() => closeServer(server))
      lock.announce({ url: `http://${host}:${port}`, port })
    }
    const newUrl = (): string => `http://${host}:${port}/#k=${access.newKey()}`
    return {
      url: newUrl(),
      newUrl,
      port,
      token: home.token,
      home,
      config,
      models,
      store,
      live,
      workspace,
      problems: [...tools.problems(), ...models.problems()],
      fetch: async (target, init = {}) => {
        const headers = new Headers(init.headers)
        headers.set('host', `127.0.0.1:${port}`)
        headers.set('authorization', `Bearer ${home.token}`)
        return app.request(`http://127.0.0.1:${port}${target}`, { ...init, headers })
      },
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

/** Built-in tools, the person's own, and those of a trusted workspace. */
function openTools(options: { home: string; store: Store; workspace: Workspace; logger: Logger }) {
  let tools: Tool[] = []
  let problems: { path: string; message: string }[] = []
  return {
    list: (): readonly Tool[] => tools,
    problems: () => problems,
    async load(): Promise<void> {
      const { trusted } = (await options.store.workspaces.get(options.workspace.id)) ?? options.workspace
      const own = loadTools([path.join(options.home, 'tools'), ...(trusted ? [path.join(options.workspace.path, '.troupe', 'tools')] : [])], getBuiltinTools())
      tools = [...getBuiltinTools(), ...own.entries.map((entry) => entry.value)]
      problems = own.problems
      for (const problem of problems) options.logger({ level: 'warn', ...problem, message: `a tool was not loaded: ${problem.message}` })
    },
  }
}

function rulesOf(config: ConfigFile): PermissionRules {
  const { allow = [], ask = [], deny = [] } = config.get().permissions ?? {}
  return { allow, ask, deny }
}

function limitsOf(config: ConfigFile): { steps?: number; tokens?: number; ms?: number } {
  const { steps, tokens, seconds } = config.get().limits ?? {}
  return { ...(steps !== undefined && { steps }), ...(tokens !== undefined && { tokens }), ...(seconds !== undefined && { ms: seconds * 1000 }) }
}

type App = ReturnType<typeof createApp>
type NodeServer = import('node:http').Server

/** The HTTP server is loaded only when a port is opened: a headless run does without it. */
async function listenOn(app: App, port: number, hostname: string): Promise<NodeServer> {
  const { serve } = await import('@hono/node-server')
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname }, () => resolve(server)) as NodeServer
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new NamedError('PortInUse', `Port ${port} is in use. Give another with --port, or 0 for a free one.`, { status: 409, data: { port } }) : error)
    })
  })
}

async function closeServer(server: NodeServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

/** Last opened, first closed: runs end before the journal, the journal before the store, the lock goes last. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close()
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

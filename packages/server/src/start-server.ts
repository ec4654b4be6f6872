import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  enabledTools,
  pickTools,
  findSandbox,
  narrowCall,
  openAgentSkills,
  planFileOf,
  NamedError,
  redact,
  type AgentDefinition,
  type Policy,
  type SandboxFinding,
  type Session,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { createAccess } from './access.ts'
import { createAgentBook } from './agent-book.ts'
import { createAgentStates } from './agent-states.ts'
import { createApp, type App } from './app.ts'
import { createBlobFiles } from './blob-files.ts'
import { callSettings, checkParams } from './call-settings.ts'
import { closeAll } from './close-all.ts'
import { openCommands } from './commands/open-commands.ts'
import { openConfig, type ConfigFile } from './config.ts'
import { clearUnfinishedBackups } from './data/back-up-home.ts'
import { diagnose } from './doctor/diagnose.ts'
import { lockHome, openHome, type Home } from './home.ts'
import { createInbox } from './inbox.ts'
import { openContext } from './context/open-context.ts'
import type { Block } from './context/preface.ts'
import { blocksFor, joinBlocks, serversLayer, skillsLayer } from './instructions.ts'
import { createJournal } from './journal.ts'
import { languageOf } from './language-of.ts'
import { hostInUrl, isLoopback, listen, type Listening } from './listen.ts'
import { createLive, type Live } from './live.ts'
import { createLogger, type Logger, type LogLevel } from './logger.ts'
import { createCallTool } from './mcp/call-tool.ts'
import { openMcp, type Mcp } from './mcp/open-mcp.ts'
import { serversText } from './mcp/servers-text.ts'
import { createModels, type Models } from './models.ts'
import { openHooks } from './open-hooks.ts'
import { openTools, type Problem } from './open-tools.ts'
import { openMedia } from './media/open-media.ts'
import { createOpenWorkspace } from './open-workspace.ts'
import { withOwnModels } from './own-models.ts'
import { createPageCalls } from './pages/page-calls.ts'
import { createPageTabs } from './pages/page-tabs.ts'
import { createAnswers } from './permission/answers.ts'
import { managedFile, openPermissions } from './permission/open-permissions.ts'
import { createRoutes } from './routes.ts'
import { runModel, windowOf } from './run-model.ts'
import { masterFrame } from './run-parts.ts'
import { createSkillBook } from './skills/skill-book.ts'
import { createSkillImports } from './skills/skill-imports.ts'
import { openSqliteStore } from './stores/sqlite.ts'
import { keepTrash } from './trash.ts'
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
  log?: (text: string) => void
  /** Where the built page lies. */
  webFolder?: string
  /** Models of an embedding program, by `provider/model`; the first is the default where none is configured. */
  models?: Record<string, LanguageModelV4>
  /** Lets sessions be in the mode bypass, in which nothing asks. Default: false. */
  allowBypass?: boolean
  /** What confines commands here. Default: it is looked for. */
  sandbox?: SandboxFinding
  /** For tests: where the rules of the machine stand. */
  managedConfig?: string
  /** For tests: how long a provider may be silent. */
  stallMs?: number
  /** For tests: how long a first model call waits for MCP servers. */
  mcpReadyMs?: number
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
  /** Every request as it comes, for programs that serve it themselves. */
  app: App
  home: Home
  config: ConfigFile
  models: Models
  store: Store
  live: Live
  workspace: Workspace
  mcp: Mcp
  /** What confines commands here, or why nothing does. */
  sandbox: SandboxFinding
  /** What is wrong with the rules, in sentences. */
  ruleWarnings: string[]
  problems: { path: string; message: string }[]
  close(): Promise<void>
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

/** Starts everything on one home. Throws `HomeOwned` (with the owner's address) when another process has it. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { env = process.env, host = '127.0.0.1', log = (line: string) => void process.stderr.write(line) } = options
  if (!isLoopback(host)) {
    const text = `Troupe has no user accounts yet, so it serves this machine only: "${host}" is refused. Use 127.0.0.1 and a tunnel.`
    throw new NamedError('NotLoopback', text)
  }
  const home = openHome({ ...(options.home !== undefined && { path: options.home }), env })
  const lock = lockHome(home)
  if ('ownedBy' in lock) {
    const text = `Another process works in ${home.path}${lock.ownedBy?.url ? ` (${lock.ownedBy.url})` : ''}.`
    throw new NamedError('HomeOwned', text, { status: 409, data: { owner: lock.ownedBy ?? null } })
  }
  // Ended from the last to the first: no new connections, then runs, then streams, the journal, the store, the lock.
  const closers: (() => unknown)[] = [() => lock.release()]
  try {
    const config = openConfig(home)
    const defaultModel = (): string | undefined => env['TROUPE_MODEL'] || config.get().model || undefined
    const configured = createModels({
      settings: () => config.get().providers ?? {},
      env,
      defaultModel,
      mediaModel: (kind) => config.get().media?.[kind],
      ...(options.probe !== undefined && { probe: options.probe }),
    })
    const models = options.models === undefined ? configured : withOwnModels(configured, options.models, defaultModel)
    /** Its secrets are known once it is open. */
    const opened: { mcp?: Mcp } = {}
    const withoutSecrets = (text: string): string =>
      models.redact(redact(text, [home.token, config.get().search?.apiKey ?? '', ...(opened.mcp?.secrets() ?? [])]))
    const logger: Logger = createLogger({
      ...(options.logLevel !== undefined && { level: options.logLevel }),
      write: log,
      redact: withoutSecrets,
    })
    // A process of its own tries it meanwhile.
    const finding = options.sandbox ?? findSandbox({ troupeHome: home.path, env })
    const store = await openSqliteStore({ home: home.path, log: logger })
    closers.push(() => store.close())
    await store.messages.purge()
    const workspace = await store.workspaces.open(path.resolve(options.workspace ?? process.cwd()))
    const tools = openTools({ home: home.path, logger })
    const sandbox = await finding
    const allowBypass = options.allowBypass === true
    const parts = openPermissions({
      store,
      home: home.path,
      config,
      env,
      managedFile: options.managedConfig ?? managedFile,
      allowBypass,
      sandbox,
      logger,
      onMode: (sessionId, mode) =>
        live.get(sessionId)?.log.append({
          type: 'data-ui-event',
          data: { name: 'session-mode', data: { sessionId, mode } },
          transient: true,
        }),
    })
    const { permissions, layers, grants, ruleBook, personHome } = parts
    const hooks = openHooks({ home: home.path, personHome, config, projects: parts.projects, env, logger })
    const servers = openMcp({
      home: home.path,
      config,
      projects: parts.projects,
      env,
      redirectUrl: () => `${origin()}/ai/mcp/callback`,
      ...(options.mcpReadyMs !== undefined && { readyMs: options.mcpReadyMs }),
    })
    opened.mcp = servers
    closers.push(() => servers.close())
    const load = (opened: Workspace): void => {
      tools.load(opened)
      permissions.load(opened)
      servers.load(opened)
    }
    load(workspace)
    const journal = createJournal(store, {
      onError: (error) => logger({ level: 'error', message: 'the journal was not written', error: String(error) }),
    })
    closers.push(() => journal.close())
    const tabs = createPageTabs()
    closers.push(() => tabs.close())
    const pageCalls = createPageCalls(tabs, async (id) => (await store.sessions.get(id))?.workspaceId)
    const inbox = createInbox(store, pageCalls)
    const blobs = createBlobFiles(path.join(home.path, 'blobs'))
    const media = openMedia({ models, blobs, store })
    closers.push(() => media.close())
    const states = createAgentStates(home.path, sandbox.sandbox)
    closers.push(() => states.close())
    const useTools = (): readonly string[] | null | undefined => config.get().useTools
    const toolsIn = (workspaceId: string): readonly Tool[] => servers.join(workspaceId, tools.list(workspaceId))
    const enabledIn = (workspaceId: string): readonly Tool[] => enabledTools(useTools(), toolsIn(workspaceId))
    const problemsOf = (opened: Workspace): Problem[] => [
      ...tools.problems(opened.id),
      ...servers.problems(opened.id),
      ...hooks.problems(opened),
      ...models.problems(),
    ]
    const workspaceOf = async (session: Pick<Session, 'workspaceId'>): Promise<Workspace> => {
      const found = (await store.workspaces.get(session.workspaceId)) ?? workspace
      load(found)
      return found
    }
    const agentBook = createAgentBook({ home: home.path, store, tools: enabledIn })
    const offered = async (session: Session, page?: string): Promise<AgentDefinition[]> =>
      agentBook.offered(await workspaceOf(session), { ...languageIn(session), ...(page !== undefined && { page }) })
    const agent = async (session: Session, name: string): Promise<AgentDefinition> =>
      agentBook.find(await workspaceOf(session), name, languageIn(session).language)
    const skillBook = createSkillBook({ home: home.path, personHome, store })
    const skillImports = createSkillImports(home.path)
    closers.push(() => skillImports.close())
    await clearUnfinishedBackups(home.path)
    const context = openContext({
      store,
      home: home.path,
      layers: [
        { name: skillsLayer, text: skillBook.text },
        { name: serversLayer, text: (_, opened) => serversText(servers.of(opened).servers()) },
      ],
      agents: offered,
      sandbox,
      logger,
      workspace: workspaceOf,
      planFile: (session, folder) =>
        permissions.modeOf(session) === 'plan' ? planFileOf(states.of(session, folder)) : undefined,
    })
    const messageParts = openCommands({
      store,
      home: home.path,
      models,
      agentBook,
      permissions,
      skillBook,
      mcp: servers,
      blobs,
      state: (session, folder) => states.of(session, folder),
      tools: enabledIn,
      workspace: workspaceOf,
    })
    const live = createLive({
      store,
      blobs,
      media,
      journal,
      inbox,
      pages: pageCalls,
      offers: tabs.offers,
      logger,
      model: async (id) => runModel(await models.resolveChatModel(id)),
      callSettings: async (id, ...layers) => callSettings((await models.resolveChatModel(id)).definition, ...layers),
      tools: (session) => enabledIn(session.workspaceId),
      ready: async (session) => servers.ready(await workspaceOf(session)),
      blocks: context.blocks,
      onStart: context.onStart,
      workspace: workspaceOf,
      decide: (session, rules) => {
        const decide = permissions.decide(session, rules)
        const policy = (): Policy => permissions.policy(permissions.placeOf(session), { session })
        return async (call, ctx) => narrowCall(await decide(call, ctx), call, ctx, policy)
      },
      mode: permissions.mode,
      hooks: (session) => hooks.of(permissions.placeOf(session)),
      heard: permissions.heard,
      limits: () => limitsOf(config),
      recovery: () => config.get().recovery ?? 'continue',
      agents: offered,
      agent,
      state: (session, folder, agentId, history) => {
        const state = states.of(session, folder, agentId)
        openAgentSkills(state, history, () => skillBook.now(permissions.placeOf(session), session).skills)
        return state
      },
      dropState: (sessionId, agentId) => states.dropAgent(sessionId, agentId),
      settings: (name) => settingsOf(config, name),
      redact: withoutSecrets,
      credentials: (provider) => Promise.resolve(models.credentials(provider)),
      ...(options.stallMs !== undefined && { stallMs: options.stallMs }),
    })
    let listening: Listening | undefined
    closers.push(() => listening?.end())
    closers.push(() => live.close())
    closers.push(() => listening?.stop())

    let port = 0
    const access = createAccess({
      token: home.token,
      port: () => port,
      hosts: () => ['127.0.0.1', 'localhost', '[::1]', hostInUrl(host)].map((name) => `${name}:${port}`),
    })
    const openWorkspace = createOpenWorkspace({ store, access, own: workspace, onOpen: load })
    const answers = createAnswers({
      store,
      inbox,
      live,
      permissions,
      ruleBook,
      grants,
      tools: (session) => enabledIn(session.workspaceId),
      contextOf: (session, agentId) => ({
        state: states.of(session, permissions.placeOf(session), agentId ?? undefined),
      }),
    })
    const uploads = path.join(home.path, 'uploads')
    const onDelete = async (sessionId: string): Promise<void> => {
      permissions.forget(sessionId)
      await states.drop(sessionId)
      await context.forget(sessionId)
    }
    /** What the next call of the agent that a session talks to starts with. */
    const beginning = async (session: Session): Promise<{ blocks: Block[]; tools: readonly Tool[] }> => {
      const definition = await agent(session, session.agent ?? 'master')
      const picked = pickTools(definition.tools, enabledIn(session.workspaceId))
      const blocks = await context.blocks(session, masterFrame(definition), definition.prompt)
      return { blocks: blocksFor(blocks, picked), tools: picked }
    }
    const routes = createRoutes({
      store,
      live,
      inbox,
      tabs,
      pageCalls,
      states,
      stateOf: async (session) => states.of(session, await workspaceOf(session)),
      ownPort: () => port,
      blobs,
      media,
      models,
      config,
      access,
      version,
      modelId: async (id) => (await models.resolveChatModel(id)).id,
      checkParams: async (id, params) => checkParams(params, (await models.resolveChatModel(id)).definition),
      openWorkspace,
      instructions: async (session) => joinBlocks((await beginning(session)).blocks),
      agentBook,
      skillBook,
      skillImports,
      hookBook: hooks,
      homePath: home.path,
      copyDatabase: store.copyTo,
      diagnose: (folder) => Array.fromAsync(diagnose({ env, cwd: folder, home: home.path })),
      takeMessage: messageParts.takeMessage,
      commands: messageParts.commands,
      ownCommands: messageParts.ownCommands,
      lastCalls: context.lastCalls,
      nextCall: async (session) => {
        const { blocks, tools: picked } = await beginning(session)
        const { definition: model, id } = await models.resolveChatModel(session.model ?? undefined)
        return {
          model: { id, ...windowOf(model) },
          blocks,
          tools: picked.filter(
            ({ pageAction }) => pageAction === undefined || tabs.offers(session.workspaceId, pageAction),
          ),
        }
      },
      tools: toolsIn,
      mcp: servers,
      callTool: createCallTool({
        permissions,
        tools: enabledIn,
        hooks: (opened) => hooks.of(opened),
        state: (id, opened) => states.of({ id }, opened),
        blobs,
        redact: withoutSecrets,
        settings: (name) => settingsOf(config, name),
      }),
      useTools,
      problems: problemsOf,
      onDelete,
      uploads,
      redact: withoutSecrets,
      onTrust: load,
      modes: {
        check: permissions.checkMode,
        initial: async (workspaceId) => layers.mode((await store.workspaces.get(workspaceId)) ?? workspace),
        of: permissions.modeOf,
        set: permissions.setMode,
      },
      permissions,
      layers,
      ruleBook,
      answers,
      allowBypass,
      sandbox: { available: sandbox.sandbox !== undefined, text: sandbox.text, ...fixOf(sandbox) },
    })
    const app = createApp({
      routes,
      access,
      logger,
      openWorkspace,
      files: createWebFiles(options.webFolder ?? path.resolve(import.meta.dirname, '../../web/dist')),
    })
    // What an import had not read when the process ended.
    rmSync(uploads, { recursive: true, force: true })
    await live.recover()
    closers.push(keepTrash({ store, live, onDelete, logger }))
    const origin = (): string => `http://${hostInUrl(host)}:${port}`
    if (options.listen !== false) {
      listening = await listen(app, { host, port: options.port ?? Number(env['TROUPE_PORT'] || 4880) })
      port = listening.port
      lock.announce({ url: origin(), port })
    }
    const newUrl = (): string => `${origin()}/#k=${access.newKey()}`
    return {
      url: newUrl(),
      newUrl,
      app,
      port,
      token: home.token,
      home,
      config,
      models,
      store,
      live,
      workspace,
      mcp: servers,
      sandbox,
      ruleWarnings: permissions.warnings(workspace),
      problems: problemsOf(workspace),
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

function fixOf({ fix }: SandboxFinding): { fix?: string } {
  return fix === undefined ? {} : { fix }
}

/** The title follows the first message until the person renames it. */
function languageIn({ title }: Session): { language?: string } {
  const language = languageOf(title)
  return language === undefined ? {} : { language }
}

/** Only sections that belong to a tool: nobody reads keys of providers this way. */
function settingsOf(config: ConfigFile, name: string): unknown {
  return name === 'search' ? config.get().search : undefined
}

function limitsOf(config: ConfigFile): { steps?: number; tokens?: number; ms?: number } {
  const { steps, tokens, seconds } = config.get().limits ?? {}
  return {
    ...(steps !== undefined && { steps }),
    ...(tokens !== undefined && { tokens }),
    ...(seconds !== undefined && { ms: seconds * 1000 }),
  }
}

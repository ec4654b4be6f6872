import path from 'node:path'
import {
  type AgentDefinition,
  decideCall,
  enabledTools,
  findSandbox,
  openAgentSkills,
  planFileOf,
  redact,
  type Session,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { clearUnfinishedBackups } from '../admin/data-routes.ts'
import { createAgentRegistry } from '../agents/agent-registry.ts'
import { createAgentStates } from '../agents/agent-states.ts'
import { noChromium } from '../browser/find-chromium.ts'
import { openBrowsers } from '../browser/open-browsers.ts'
import { createTypedAddresses } from '../chat/user-message.ts'
import { openCommands } from '../commands/open-commands.ts'
import { type ConfigFile, openConfig, toolSettings } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import { openHooks } from '../extensions/hooks.ts'
import { type LoadProblem, openTools } from '../extensions/tools.ts'
import { describeServers, type Mcp, openMcp } from '../mcp/open-mcp.ts'
import { openMedia } from '../media/open-media.ts'
import { callSettings, runModel } from '../models/call-settings.ts'
import { createModels } from '../models/models.ts'
import { withProgramModels } from '../models/program-models.ts'
import { managedFile, openPermissions } from '../permission/permissions.ts'
import { createInbox } from '../runs/inbox.ts'
import { createJournal } from '../runs/journal.ts'
import { createRunManager } from '../runs/run-manager.ts'
import { serversLayer, sessionLanguage, skillsLayer } from '../runs/system-prompt.ts'
import { createBlobFiles } from '../sessions/blobs.ts'
import { openContext } from '../sessions/context.ts'
import { createTitleWriter } from '../sessions/titles.ts'
import { createSkillImports } from '../skills/skill-imports.ts'
import { createSkillRegistry } from '../skills/skill-registry.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import { createPageCalls } from '../tabs/page-calls.ts'
import { createPageTabs } from '../tabs/page-tabs.ts'
import { createLogger, type Logger } from '../util/logger.ts'
import { createGitSecrets } from './git-secrets.ts'
import type { ServerOptions } from './server.ts'

export type ServerParts = Awaited<ReturnType<typeof openParts>>

export interface OpenPartsContext {
  home: Home
  env: NodeJS.ProcessEnv
  log: (text: string) => void
  /** The server's address, once it listens. */
  origin: () => string
  closers: (() => unknown)[]
}

/** Opens everything that runs need, in dependency order. */
export async function openParts(options: ServerOptions, place: OpenPartsContext) {
  const { home, env, log, closers } = place
  const config = openConfig(home)
  const defaultModel = (): string | undefined => env['TROUPE_MODEL'] || config.get().model || undefined
  const configured = createModels({
    settings: () => config.get().providers ?? {},
    env,
    defaultModel: () => defaultModel() ?? Object.keys(options.models ?? {})[0],
    mediaModel: (kind) => config.get().media?.[kind],
    learnedFile: path.join(home.path, 'model-windows.json'),
    probe: options.probe,
  })
  const models = options.models === undefined ? configured : withProgramModels(configured, options.models, defaultModel)
  /** Its secrets are known only after it opens. */
  const opened: { mcp?: Mcp } = {}
  const gitSecrets = createGitSecrets()
  const withoutSecrets = (text: string): string =>
    models.redact(
      redact(text, [
        home.token,
        config.get().search?.apiKey ?? '',
        ...(opened.mcp?.secrets() ?? []),
        ...gitSecrets.all(),
      ]),
    )
  const logger: Logger = createLogger({
    level: options.logLevel,
    write: log,
    redact: withoutSecrets,
  })
  // Runs in a separate process while the store opens.
  const finding = options.sandbox ?? findSandbox({ troupeHome: home.path, env })
  const store = await openSqliteStore({ home: home.path, log: logger })
  closers.push(() => store.close())
  await store.messages.purge()
  const workspace = await store.workspaces.open(path.resolve(options.workspace ?? process.cwd()))
  const tools = openTools({ home: home.path, logger })
  const sandbox = await finding
  const allowBypass = options.allowBypass === true
  const permissionParts = openPermissions({
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
  const { permissions, personHome, projects } = permissionParts
  const typedAddresses = createTypedAddresses(home.token)
  const hooks = openHooks({ home: home.path, personHome, config, projects, env, logger })
  const servers = openMcp({
    home: home.path,
    config,
    projects,
    env,
    redirectUrl: () => `${place.origin()}/ai/mcp/callback`,
    readyMs: options.mcpReadyMs,
  })
  opened.mcp = servers
  closers.push(() => servers.close())
  const load = (opened: Workspace): void => {
    gitSecrets.watch(opened.path)
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
  const states = createAgentStates(home.path, { sandbox: sandbox.sandbox, idleMs: options.idleMs })
  closers.push(() => states.close())
  const browsers = openBrowsers({
    home: home.path,
    env,
    settings: () => config.get().browser ?? {},
    ownPort: () => Number(new URL(place.origin()).port || 80),
  })
  closers.push(() => browsers.close())
  const titles = createTitleWriter({
    store,
    models,
    logger,
    isOn: () => options.titles ?? config.get().titles !== 'words',
    isSilent: (model) => model.startsWith('demo/') || options.models?.[model] !== undefined,
  })
  closers.push(() => titles.close())
  const useTools = (): readonly string[] | null | undefined => config.get().useTools
  const toolsIn = (workspaceId: string): readonly Tool[] =>
    browsers.offered(servers.join(workspaceId, tools.list(workspaceId)))
  const enabledIn = (workspaceId: string): readonly Tool[] => enabledTools(useTools(), toolsIn(workspaceId))
  const problemsOf = (opened: Workspace): LoadProblem[] => [
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
  const agentBook = createAgentRegistry({
    home: home.path,
    personHome,
    store,
    config,
    tools: enabledIn,
    why: (group) => (group === 'browser' ? noChromium : undefined),
  })
  const offered = async (session: Session, page?: string): Promise<AgentDefinition[]> =>
    agentBook.offered(await workspaceOf(session), { ...sessionLanguage(session), ...(page !== undefined && { page }) })
  const agent = async (session: Session, name: string, opened?: Workspace): Promise<AgentDefinition> =>
    agentBook.find(opened ?? (await workspaceOf(session)), name, sessionLanguage(session).language)
  const skillBook = createSkillRegistry({ home: home.path, personHome, store })
  const skillImports = createSkillImports(home.path)
  closers.push(() => skillImports.close())
  await clearUnfinishedBackups(home.path)
  const context = openContext({
    store,
    home: home.path,
    personHome,
    layers: [
      { name: skillsLayer, text: skillBook.text },
      { name: serversLayer, text: (_, opened) => describeServers(servers.of(opened).servers()) },
    ],
    agents: async (session) => agentBook.offered(await workspaceOf(session), { anyPage: true }),
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
  const live = createRunManager({
    store,
    blobs,
    media,
    browser: browsers,
    journal,
    inbox,
    offers: tabs.offers,
    logger,
    async model(id) {
      const found = await models.resolveChatModel(id)
      return { ...runModel(found), onLearned: (learned) => models.learn(found.id, learned) }
    },
    callSettings: async (id, ...layers) => callSettings((await models.resolveChatModel(id)).definition, ...layers),
    tools: (session) => enabledIn(session.workspaceId),
    ready: servers.ready,
    blocks: context.blocks,
    onStart: context.onStart,
    workspace: workspaceOf,
    decide: (session, rules) => (call, ctx) => decideCall(call, ctx, permissions.sessionPolicy(session, rules)),
    mode: permissions.mode,
    hooks: (session) => hooks.of(permissions.placeOf(session)),
    noteUserHosts: (sessionId, history) =>
      permissions.noteUserHosts(
        sessionId,
        history.flatMap((message) => typedAddresses.read(sessionId, message)),
      ),
    limits: () => configLimits(config),
    recovery: () => config.get().recovery ?? 'continue',
    onAnswered: titles.answered,
    agents: offered,
    whyNoAgent: async (session, name) => agentBook.whyNot(await workspaceOf(session), name),
    agent,
    state: (session, folder, agentId, history) => {
      const state = states.of(session, folder, agentId)
      openAgentSkills(state, history, () => skillBook.now(permissions.placeOf(session), session).skills)
      return state
    },
    dropState: (sessionId, agentId) => states.dropAgent(sessionId, agentId),
    settings: (name) => toolSettings(config, name),
    redact: withoutSecrets,
    credentials: (provider) => Promise.resolve(models.credentials(provider)),
    stallMs: options.stallMs,
  })
  return {
    agent,
    agentBook,
    allowBypass,
    blobs,
    browsers,
    config,
    context,
    enabledIn,
    hooks,
    inbox,
    live,
    load,
    logger,
    mcp: servers,
    media,
    messageParts,
    models,
    pageCalls,
    permissionParts,
    problemsOf,
    sandbox,
    skillBook,
    skillImports,
    states,
    store,
    tabs,
    toolsIn,
    typedAddresses,
    useTools,
    withoutSecrets,
    workspace,
    workspaceOf,
  }
}

function configLimits(config: ConfigFile): { steps?: number; tokens?: number; ms?: number } {
  const { steps, tokens, seconds } = config.get().limits ?? {}
  return {
    steps,
    tokens,
    ...(seconds !== undefined && { ms: seconds * 1000 }),
  }
}

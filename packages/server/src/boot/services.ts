import { createHmac } from 'node:crypto'
import path from 'node:path'
import { findSandbox, planFileOf, type Session, type Tool, type Workspace } from '@troupe/core'
import { createPictureEditor, openDocuments } from '@troupe/documents'
import { clearUnfinishedBackups } from '../admin/data-routes.ts'
import { openInstructions } from '../admin/instruction-routes.ts'
import { createAgentRegistry } from '../agents/agent-registry.ts'
import { createAgentStates } from '../agents/agent-states.ts'
import { noChromium } from '../browser/find-chromium.ts'
import { openBrowsers } from '../browser/open-browsers.ts'
import { createPrinter } from '../browser/print-page.ts'
import { openDocumentPages } from '../files/document-pages.ts'
import type { Cluster } from '../cluster/open-cluster.ts'
import { createTypedAddresses } from '../chat/chat-request.ts'
import { openCommands } from '../commands/open-commands.ts'
import { type ConfigFile, openConfig, toolSettings } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import { createWorkspaceTools, type LoadProblem, openHooks, openTools } from '../extensions/workspace-extensions.ts'
import { openBlobScopes } from '../http/blob-scopes.ts'
import { openFiles } from '../files/file-routes.ts'
import type { Governance, GovernanceOptions } from '../governance/governance.ts'
import { isolationOf as ownerIsolation } from '../isolation/owner-isolation.ts'
import { createTickets } from '../http/tickets.ts'
import type { JoinedNodesOptions } from '../joined/joined-nodes.ts'
import { openLsp } from '../lsp/open-lsp.ts'
import { createCallTool } from '../mcp-server/call-tool.ts'
import { describeServers, openMcp } from '../mcp/open-mcp.ts'
import { openMedia } from '../media/open-media.ts'
import { createTranscription } from '../media/transcription.ts'
import { createVision } from '../media/vision.ts'
import { withModelPolicy } from '../models/model-policy.ts'
import { createModels, type Models } from '../models/models.ts'
import { withPersonModels } from '../models/person-models.ts'
import { withProgramModels } from '../models/program-models.ts'
import type { ProviderSettings } from '../providers/shared/provider.ts'
import { managedFile, openPermissions } from '../permission/permissions.ts'
import { createMeasuring } from '../operations/measuring.ts'
import { createOperations, type Operations } from '../operations/operations.ts'
import { openQueries } from '../query/open-queries.ts'
import { createAskAnswers } from '../runs/asks.ts'
import { createInbox } from '../runs/inbox.ts'
import { createJournal } from '../runs/journal.ts'
import { createRunManager } from '../runs/run-manager.ts'
import { serversLayer, skillsLayer } from '../runs/system-prompt.ts'
import { createAttachments } from '../sessions/attachments.ts'
import { openContext } from '../sessions/context.ts'
import { createTitleWriter } from '../sessions/titles.ts'
import { createSkillImports } from '../skills/skill-imports.ts'
import { createSkillRegistry } from '../skills/skill-registry.ts'
import { createPageCalls } from '../tabs/page-calls.ts'
import { createPageTabs } from '../tabs/page-tabs.ts'
import { openTerminals } from '../terminals/open-terminals.ts'
import { createTakeOverNotes } from '../terminals/take-over.ts'
import { openPublishedPages } from '../transfer/publish/published-pages.ts'
import { openSpending } from '../usage/spending.ts'
import { createLogger, type Logger } from '../util/logger.ts'
import { createFileGuard } from '../workspaces/file-guard.ts'
import { createFolderLanes } from '../workspaces/folder-lanes.ts'
import { createFolderStates } from '../workspaces/folder-states.ts'
import { openWorkspaces } from '../workspaces/open-workspaces.ts'
import { createProjects, sessionScope } from '../workspaces/projects.ts'
import { openStore } from './open-store.ts'
import { type ServerOptions, version } from './server.ts'
import { openWorktrees } from '../worktrees/open-worktrees.ts'
import { createRedaction } from './redaction.ts'
import { sessionServices } from './session-services.ts'

/** Everything that routes and runs use. Opened once. */
export type Services = Awaited<ReturnType<typeof openServices>>

/** Readers on other nodes see what is written. */
const clusterFrameMs = 25

interface ServicesContext {
  home: Home
  env: NodeJS.ProcessEnv
  log: (text: string) => void
  /** The server's address, once it listens. */
  origin: () => string
  closers: (() => unknown)[]
}

/** Opens the services in dependency order. */
export async function openServices(options: ServerOptions, { home, env, log, origin, closers }: ServicesContext) {
  const closing = <T extends { close(): unknown }>(service: T): T => {
    closers.push(() => service.close())
    return service
  }
  const startConfig = openConfig(home)
  const guard = closing(options.fileGuard ?? createFileGuard())
  const lanes = closing(createFolderLanes({ guard, ...options.folderLanes }))
  const folderStates = closing(createFolderStates(lanes, guard))
  const { responds } = folderStates
  const redaction = createRedaction(home.token, responds)
  const withoutSecrets = redaction.redact
  const isMeasured = options.team !== undefined || startConfig.get().metrics === true
  const measuring = createMeasuring({ isOn: isMeasured, logger: () => logger })
  const logger: Logger = createLogger({
    level: options.logLevel,
    write: log,
    redact: withoutSecrets,
    onError: measuring.onError,
  })
  // Runs in a separate process while the store opens.
  const finding = options.sandbox ?? findSandbox({ troupeHome: home.path, env })
  const { store, copyTo, blobs, cluster } = await openStore({
    home: home.path,
    logger,
    cluster: options.cluster,
    closers,
    onQuery: measuring.onQuery,
  })
  await store.messages.purge()
  await clearUnfinishedBackups(home.path)
  const governance = await openTeamGovernance(options, {
    store,
    env,
    logger,
    redact: withoutSecrets,
    onRequest: measuring.onRequest,
  })
  const config = governance?.config ?? startConfig
  if (governance !== undefined) closing(governance)
  const models = openModels(options, { home, env, config, governance })
  Object.assign(redaction.sources, { config, models, others: governance?.personKeys.known })
  const sandbox = await finding
  const { isolation } = options
  if (isolation !== undefined) closing(isolation)
  const isolationOf = isolation === undefined ? undefined : ownerIsolation(isolation)
  const folderIsolation = isolation?.ofFolder.bind(isolation)
  const allowBypass = options.allowBypass === true
  const {
    permissions,
    layers,
    grants,
    rules,
    projects: projectConfigs,
    personHome,
  } = openPermissions({
    store,
    home: home.path,
    config,
    env,
    managedFile: options.managedConfig ?? managedFile,
    managed: governance?.policy.managed,
    shared: governance?.rules,
    allowBypass,
    sandbox,
    logger,
    responds,
    onMode: (sessionId, mode) =>
      runs.get(sessionId)?.log.append({
        type: 'data-ui-event',
        data: { name: 'session-mode', data: { sessionId, mode } },
        transient: true,
      }),
  })
  const hooks = openHooks({
    home: home.path,
    personHome,
    config,
    projects: projectConfigs,
    env,
    logger,
    responds,
    folderIsolation,
  })
  const mcp = closing(
    openMcp({
      home: home.path,
      config,
      projects: projectConfigs,
      responds,
      env,
      folderIsolation,
      redirectUrl: () => `${origin()}/ai/mcp/callback`,
      logins: governance?.mcpLogins,
      allows: governance?.policy.allowsMcpServer,
      readyMs: options.mcpReadyMs,
    }),
  )
  redaction.sources.mcp = mcp
  governance?.policy.onChange(() => mcp.refresh())
  const toolFiles = openTools({ home: home.path, logger, responds, loadsFolders: isolation === undefined })
  const workspaces = await openWorkspaces({
    store,
    states: folderStates,
    config,
    home: home.path,
    personHome,
    own: path.resolve(options.workspace ?? process.cwd()),
    load(workspace) {
      redaction.watch(workspace.path)
      toolFiles.load(workspace)
      permissions.load(workspace)
      mcp.load(workspace)
    },
    onMove: (from, to) => layers.move(from, to),
  })
  const projects = createProjects({
    store,
    states: folderStates,
    configs: projectConfigs,
    async inUse() {
      const sessions = await Promise.all(runs.live().map(({ sessionId }) => store.sessions.get(sessionId)))
      return sessions.flatMap((session) => session?.projectId ?? [])
    },
  })
  if (folderStates.responds(workspaces.own.path)) {
    await isolation?.admit(workspaces.own.path)
    workspaces.load(workspaces.own)
  }
  const journal = closing(
    createJournal(store, {
      intervalMs: cluster === undefined ? undefined : clusterFrameMs,
      onError: (error) => logger({ level: 'error', message: 'the journal was not written', error: String(error) }),
      onWritten: measuring.onChunksWritten,
    }),
  )
  const tabs = closing(createPageTabs())
  const pageCalls = createPageCalls(tabs, (id) => store.sessions.get(id))
  const inbox = createInbox(store, pageCalls)
  const teamData =
    options.team === undefined
      ? undefined
      : (await import('../team/team-data.ts')).createTeamData({
          store,
          blobs,
          grantedAs: (workspaceId) => worktrees.parentId(workspaceId),
        })
  const blobScopes = teamData?.blobs ?? openBlobScopes(blobs)
  const states = closing(
    createAgentStates(home.path, { sandbox: sandbox.sandbox, idleMs: options.idleMs, isolationOf }),
  )
  const browsers = closing(
    openBrowsers({
      home: home.path,
      env,
      settings: () => config.get().browser ?? {},
      allowsHost: governance?.policy.allowsHost,
      ownPort: () => Number(new URL(origin()).port || 80),
    }),
  )
  const joined =
    teamData && (await openJoined({ store, people: teamData.people, logger }, cluster, options.cluster?.secret))
  if (joined !== undefined) closing(joined.nodes)
  const tools = createWorkspaceTools({ files: toolFiles, mcp, browsers, config, joined: joined?.tools })
  const spending = closing(
    await openSpending({
      store,
      limits: () => budgetOf(config),
      ...governance?.limits.spending,
      logger,
    }),
  )
  const media = closing(
    openMedia({ models, blobs, blobsOf: teamData?.mediaBlobs, store, spending, ownFolder: workspaces.own.path }),
  )
  const transcription = createTranscription({ models, spending, ownFolder: workspaces.own.path })
  const titles = closing(
    createTitleWriter({
      store,
      models,
      spending,
      logger,
      isOn: () => options.titles ?? config.get().titles !== 'words',
      isSilent: (model) => model.startsWith('demo/') || options.models?.[model] !== undefined,
    }),
  )
  const agents = createAgentRegistry({
    home: home.path,
    personHome,
    store,
    config,
    tools,
    why: (group) => (group === 'browser' ? noChromium : undefined),
    responds,
  })
  const skills = createSkillRegistry({
    home: home.path,
    personHome,
    store,
    disabled: () => config.get().disabledSkills ?? [],
    responds,
  })
  const skillImports = closing(createSkillImports(home.path))
  const context = openContext({
    store,
    home: home.path,
    personHome,
    layers: [
      { name: skillsLayer, text: skills.text },
      { name: serversLayer, text: (_, workspace) => describeServers(mcp.of(workspace).servers()) },
    ],
    agents: (workspace) => agents.offered(workspace, { anyPage: true }),
    sandbox,
    logger,
    systemOf: joined?.nodes.systemOf,
    planFile: (session, workspace) =>
      permissions.modeOf(session) === 'plan' ? planFileOf(states.of(session, workspace)) : undefined,
  })
  const instructions = await openInstructions({ store, home: home.path, personHome, agents, context })
  const typedAddresses = createTypedAddresses(home.token)
  const commands = openCommands({
    store,
    responds,
    home: home.path,
    models,
    spending,
    agents,
    permissions,
    skills,
    mcp,
    blobs,
    states,
    tools,
    workspaces,
  })
  const session = sessionServices({
    workspaces,
    tools,
    tabs,
    mcp,
    agents,
    context,
    permissions,
    hooks,
    typedAddresses,
    states,
    skills,
    projects,
    folderStates,
    isolation,
    joined: joined?.tools,
    onDecision: governance?.onDecision,
  })
  const worktrees = closing(
    openWorktrees({
      home: home.path,
      env,
      store,
      config,
      workspaces,
      isTeam: isolation !== undefined,
      isBusy: async (id) => {
        const sessions = runs.live().map(({ sessionId }) => store.sessions.get(sessionId))
        return (await Promise.all(sessions)).some((one) => one?.workspaceId === id)
      },
    }),
  )
  const lsp = closing(
    openLsp({
      env,
      logger,
      settings: () => config.get().languageServers ?? {},
      sandbox: sandbox.sandbox,
      sandboxOf: folderIsolation && ((folder) => folderIsolation(folder).sandbox),
    }),
  )
  const files = closing(openFiles(home.path))
  const documents = closing(openDocuments({ userOf: isolation?.userOf.bind(isolation) }))
  const documentPages = closing(openDocumentPages({ sandbox: sandbox.sandbox }))
  const pictures = createPictureEditor({ userOf: isolation?.userOf.bind(isolation) })
  const printer = createPrinter({
    folder: path.join(home.path, 'print'),
    executable: browsers.chromium,
    isolation: isolation?.service(),
  })
  const queries = closing(
    openQueries({
      connections: () => config.get().connections ?? {},
      hasOwnData: options.team === undefined,
      home: home.path,
      sandbox: sandbox.sandbox,
    }),
  )
  /** A model that cannot be used here counts as none: the file may come from somebody else. */
  const folderModel = async (at: { workspaceId: string; projectId?: string | null }): Promise<string | undefined> => {
    const named = env['TROUPE_MODEL'] ? undefined : projects.model(await workspaces.of(at))
    return named === undefined
      ? undefined
      : models
          .resolveChatModel(named)
          .then(({ id }) => id)
          .catch(() => undefined)
  }
  const settings = (name: string): unknown => toolSettings(config, name)
  const runs = createRunManager({
    store,
    blobs,
    blobsOf: teamData?.blobs.session,
    media,
    queries,
    browser: browsers,
    code: lsp.of,
    documents,
    printer,
    pictures,
    transcription,
    vision: createVision({ models, spending, config, store, grants, blobs, pictures }),
    attachments: createAttachments({ home: home.path, blobs: blobScopes, documents, transcription }),
    journal,
    inbox,
    logger,
    models,
    spending,
    session,
    limits: () => runLimits(config),
    recovery: () => config.get().recovery ?? 'continue',
    toolSettings: settings,
    credentials: async (provider) => models.credentials(provider),
    redact: withoutSecrets,
    async dropState(sessionId, agentId) {
      joined?.nodes.drop(sessionId, agentId)
      await states.dropAgent(sessionId, agentId)
    },
    pickState: (sessionId, column, others) => states.pick(sessionId, column, others),
    onFirstAnswer: titles.answered,
    stallMs: options.stallMs,
    turns: cluster?.turns,
  })
  const { parkMs } = options.cluster ?? {}
  if (cluster !== undefined && parkMs !== undefined) {
    const { parkWaiting } = await import('../cluster/park-waiting.ts')
    closing(parkWaiting({ cluster, runs, store, states, parkMs, logger }))
  }
  const operations: Operations = createOperations({
    ...measuring,
    db: store.db,
    cluster: cluster && {
      nodes: cluster.nodes.list,
      async queueDepth() {
        return Object.values(await cluster.engine.depth()).reduce((sum, depth) => sum + depth, 0)
      },
    },
    version,
    metrics: await measuring.start({
      runs: () => runs.live(),
      queueDepth: () => operations.cluster.queueDepth(),
    }),
    metricsToken: env['TROUPE_METRICS_TOKEN'] || undefined,
  })
  const takeOverNotes = closing(createTakeOverNotes(runs))
  const terminals = closing(openTerminals({ env }))
  const enabledTools = (at: Session): readonly Tool[] => tools.enabled(sessionScope(at))
  const answers = createAskAnswers({
    store,
    inbox,
    runs,
    permissions,
    rules,
    layers,
    grants,
    tools: enabledTools,
    states,
  })
  governance?.rules.onChange(() => {
    answers
      .settleAll()
      .catch((error: unknown) => logger({ level: 'warn', message: 'asks were not settled', error: String(error) }))
  })
  const callTool = createCallTool({
    permissions,
    tools,
    hooks,
    states,
    blobs,
    browser: browsers,
    queries,
    redact: withoutSecrets,
    toolSettings: settings,
  })
  return {
    agents,
    allowBypass,
    answers,
    blobs,
    blobScopes,
    browsers,
    callTool,
    cluster,
    commands,
    config,
    context,
    copyTo,
    env,
    files,
    documents,
    documentPages,
    home,
    hooks,
    folderIsolation,
    inbox,
    instructions,
    isolation,
    isolationOf,
    joined,
    lanes,
    layers,
    logger,
    lsp,
    mcp,
    media,
    models,
    operations,
    pageCalls,
    permissions,
    personHome,
    printer,
    projects,
    redact: withoutSecrets,
    rules,
    runs,
    sandbox,
    session,
    skillImports,
    skills,
    spending,
    folderModel,
    folderStates,
    governance,
    states,
    store,
    tabs,
    teamData,
    takeOverNotes,
    terminals,
    tools,
    typedAddresses,
    workspaces,
    worktrees,
    published: openPublishedPages({ store, blobs: blobScopes, config, redact: withoutSecrets, logger }),
    queries,
    problems: (workspace: Workspace): LoadProblem[] => [
      ...toolFiles.problems(workspace.id),
      ...mcp.problems(workspace.id),
      ...hooks.problems(workspace),
      ...models.problems(),
    ],
    /** Releases everything that belongs to a session. */
    async dropSession(sessionId: string): Promise<void> {
      permissions.forget(sessionId)
      await states.drop(sessionId)
      joined?.nodes.drop(sessionId)
      await browsers.drop(sessionId)
      await context.forget(sessionId)
    },
  }
}

/** Folders on the computers of members. */
async function openJoined(
  options: Pick<JoinedNodesOptions, 'store' | 'people' | 'logger'>,
  cluster: Pick<Cluster, 'nodes'> | undefined,
  secret: string | undefined,
) {
  const [{ createJoinedNodes }, { createJoinedTools }, { createOtherNodes, joinPlaceSchema }] = await Promise.all([
    import('../joined/joined-nodes.ts'),
    import('../joined/joined-tools.ts'),
    import('../joined/relay.ts'),
  ])
  const key = secret === undefined ? undefined : createHmac('sha256', secret).update('join tickets').digest()
  const tickets = createTickets(joinPlaceSchema, { secret: key })
  const nodes = await createJoinedNodes({ ...options, others: cluster && createOtherNodes(cluster.nodes, tickets) })
  return { nodes, tools: createJoinedTools(nodes), tickets }
}

/** Loads the code of team mode only there. */
async function openTeamGovernance(
  { team }: ServerOptions,
  given: Omit<GovernanceOptions, 'team'>,
): Promise<Governance | undefined> {
  if (team === undefined) return undefined
  const { openGovernance } = await import('../governance/open-governance.ts')
  return openGovernance({ ...given, team })
}

function openModels(
  options: ServerOptions,
  given: { home: Home; env: NodeJS.ProcessEnv; config: ConfigFile; governance: Governance | undefined },
): Models {
  const { home, env, config, governance } = given
  const defaultModel = (): string | undefined => env['TROUPE_MODEL'] || config.get().model || undefined
  const create = (own: Record<string, ProviderSettings> = {}): Models => {
    const configured = createModels({
      settings: () => withOwnKeys(config.get().providers ?? {}, own),
      env,
      defaultModel: () => defaultModel() ?? Object.keys(options.models ?? {})[0],
      mediaModel: (kind) => config.get().media?.[kind],
      learnedFile: path.join(home.path, 'model-windows.json'),
      probe: options.probe,
    })
    const models =
      options.models === undefined ? configured : withProgramModels(configured, options.models, defaultModel)
    return governance === undefined ? models : withModelPolicy(models, governance.policy.allowsModel)
  }
  return governance === undefined ? create() : withPersonModels(create(), { keysOf: governance.personKeys.of, create })
}

function withOwnKeys(
  settings: Record<string, ProviderSettings>,
  own: Record<string, ProviderSettings>,
): Record<string, ProviderSettings> {
  const names = Object.keys(own)
  if (names.length === 0) return settings
  return { ...settings, ...Object.fromEntries(names.map((name) => [name, { ...settings[name], ...own[name] }])) }
}

function runLimits(config: ConfigFile): { steps?: number; tokens?: number; ms?: number } {
  const { steps, tokens, seconds } = config.get().limits ?? {}
  return { steps, tokens, ms: seconds === undefined ? undefined : seconds * 1000 }
}

function budgetOf(config: ConfigFile): { day?: number; month?: number } {
  const { day, month } = config.get().budget ?? {}
  return { ...(day !== undefined && { day }), ...(month !== undefined && { month }) }
}

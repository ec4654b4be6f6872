import path from 'node:path'
import type { Session, Tool, Workspace } from '@troupe/core'
import { openInstructions } from '../admin/instruction-routes.ts'
import { createAgentRegistry } from '../agents/agent-registry.ts'
import { createAgentStates } from '../agents/agent-states.ts'
import { noChromium } from '../browser/find-chromium.ts'
import { createTypedAddresses } from '../chat/chat-request.ts'
import { openCommands } from '../commands/open-commands.ts'
import { budgetLimits, runLimits, toolSettings } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import { createWorkspaceTools, type LoadProblem, openHooks, openTools } from '../extensions/workspace-extensions.ts'
import { openBlobScopes } from '../http/principal.ts'
import { isolationOf as ownerIsolation } from '../isolation/owner-isolation.ts'
import { openJoined } from '../joined/open-joined.ts'
import { createCallTool } from '../mcp-server/call-tool.ts'
import { describeServers, openMcp } from '../mcp/open-mcp.ts'
import { createVision } from '../media/vision.ts'
import { managedFile, openPermissions } from '../permission/permissions.ts'
import { createOperations, type Operations } from '../operations/operations.ts'
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
import { createProjects, openWorkspaces, sessionScope } from '../workspaces/open-workspaces.ts'
import { openWorktrees } from '../worktrees/open-worktrees.ts'
import { openFoundation } from './foundation.ts'
import { type ServerOptions, version } from './server.ts'
import { sessionServices } from './session-services.ts'
import { openToolServices } from './tool-services.ts'

/** Everything that routes and runs use. Opened once. */
export type Services = Awaited<ReturnType<typeof openServices>>

/** Shorter in a cluster, because readers on other nodes see only written frames. */
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
  const foundation = await openFoundation(options, { home, env, log, closing, closers })
  const { blobs, cluster, config, folderStates, governance, logger, measuring } = foundation
  const { models, redaction, sandbox, store } = foundation
  const { responds } = folderStates
  const withoutSecrets = redaction.redact
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
    loaders: [redaction, toolFiles, permissions, mcp],
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
  const joined =
    teamData && (await openJoined({ store, people: teamData.people, logger }, cluster, options.cluster?.secret))
  if (joined !== undefined) closing(joined.nodes)
  const spending = closing(
    await openSpending({
      store,
      limits: budgetLimits(config),
      ...governance?.limits.spending,
      logger,
    }),
  )
  const toolServices = openToolServices({
    home: home.path,
    env,
    config,
    origin,
    logger,
    closing,
    sandbox: sandbox.sandbox,
    isolation,
    allowsHost: governance?.policy.allowsHost,
    media: { models, blobs, blobsOf: teamData?.mediaBlobs, store, spending, ownFolder: workspaces.own.path },
    isTeam: options.team !== undefined,
  })
  const { browsers, documents, lsp, media, pictures, printer, queries, transcription } = toolServices
  const tools = createWorkspaceTools({ files: toolFiles, mcp, browsers, config, joined: joined?.tools })
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
    permissions,
    states,
    systemOf: joined?.nodes.systemOf,
    notesOf: joined?.tools.notes,
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
  const settings = toolSettings(config)
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
    limits: runLimits(config),
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
    ...foundation,
    ...toolServices,
    agents,
    allowBypass,
    answers,
    blobScopes,
    callTool,
    commands,
    context,
    env,
    home,
    hooks,
    folderIsolation,
    inbox,
    instructions,
    isolation,
    isolationOf,
    joined,
    layers,
    mcp,
    operations,
    pageCalls,
    permissions,
    personHome,
    projects,
    redact: withoutSecrets,
    rules,
    runs,
    session,
    skillImports,
    skills,
    spending,
    folderModel,
    states,
    tabs,
    teamData,
    takeOverNotes,
    terminals,
    tools,
    typedAddresses,
    workspaces,
    worktrees,
    published: openPublishedPages({ store, blobs: blobScopes, config, redact: withoutSecrets, logger }),
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

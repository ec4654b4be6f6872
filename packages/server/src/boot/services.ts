import type { Session, Tool, Workspace } from '@troupe/core'
import { createAgentStates } from '../agents/agent-states.ts'
import { budgetLimits, runLimits, toolSettings } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import { createWorkspaceTools, type LoadProblem } from '../extensions/workspace-extensions.ts'
import { openBlobScopes } from '../http/principal.ts'
import { isolationOf as ownerIsolation } from '../isolation/owner-isolation.ts'
import { openJoined } from '../joined/open-joined.ts'
import { createCallTool } from '../mcp-server/call-tool.ts'
import { createVision } from '../media/vision.ts'
import { createOperations, type Operations } from '../operations/operations.ts'
import { createAskAnswers } from '../runs/asks.ts'
import { createInbox } from '../runs/inbox.ts'
import { createJournal } from '../runs/journal.ts'
import { createRunManager } from '../runs/run-manager.ts'
import { createAttachments } from '../sessions/attachments.ts'
import { createTitleWriter } from '../sessions/titles.ts'
import { createPageCalls } from '../tabs/page-calls.ts'
import { createPageTabs } from '../tabs/page-tabs.ts'
import { openTerminals } from '../terminals/open-terminals.ts'
import { createTakeOverNotes } from '../terminals/take-over.ts'
import { openPublishedPages } from '../transfer/publish/published-pages.ts'
import { openSpending } from '../usage/spending.ts'
import { sessionScope } from '../workspaces/open-workspaces.ts'
import { openWorktrees } from '../worktrees/open-worktrees.ts'
import { openAgentServices } from './agent-services.ts'
import { openFoundation } from './foundation.ts'
import { type ServerOptions, version } from './server.ts'
import { sessionServices } from './session-services.ts'
import { openToolServices } from './tool-services.ts'
import { openWorkspaceServices } from './workspace-services.ts'

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
  const withoutSecrets = redaction.redact
  const { isolation } = options
  if (isolation !== undefined) closing(isolation)
  const isolationOf = isolation === undefined ? undefined : ownerIsolation(isolation)
  const folderIsolation = isolation?.ofFolder.bind(isolation)
  const allowBypass = options.allowBypass === true
  const workspaceServices = await openWorkspaceServices(options, {
    foundation,
    home,
    env,
    origin,
    closing,
    allowBypass,
    folderIsolation,
    runs: () => runs,
  })
  const { permissions, layers, grants, rules, personHome, hooks, mcp, toolFiles, workspaces, projects } =
    workspaceServices
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
  const agentServices = await openAgentServices({
    ...foundation,
    ...workspaceServices,
    home,
    closing,
    spending,
    states,
    tools,
    systemOf: joined?.nodes.systemOf,
    notesOf: joined?.tools.notes,
  })
  const { agents, skills, skillImports, context, instructions, typedAddresses, commands } = agentServices
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
  /** A model that cannot be used here counts as none: the file may come from someone else. */
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

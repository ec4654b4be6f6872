import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { findSandbox, planFileOf, redact, type Session, type Tool, type Workspace } from '@troupe/core'
import { createPictureEditor, openDocuments } from '@troupe/documents'
import { clearUnfinishedBackups } from '../admin/data-routes.ts'
import { openInstructions } from '../admin/instruction-routes.ts'
import { createAgentRegistry } from '../agents/agent-registry.ts'
import { createAgentStates } from '../agents/agent-states.ts'
import { noChromium } from '../browser/find-chromium.ts'
import { openBrowsers } from '../browser/open-browsers.ts'
import { createPrinter } from '../browser/print-page.ts'
import { openDocumentPages } from '../files/document-pages.ts'
import { createTypedAddresses } from '../chat/chat-request.ts'
import { openCommands } from '../commands/open-commands.ts'
import { type ConfigFile, openConfig, toolSettings } from '../config/config.ts'
import type { Home } from '../config/home.ts'
import { createWorkspaceTools, type LoadProblem, openHooks, openTools } from '../extensions/workspace-extensions.ts'
import { openFiles } from '../files/file-routes.ts'
import { openLsp } from '../lsp/open-lsp.ts'
import { createCallTool } from '../mcp-server/call-tool.ts'
import { describeServers, type Mcp, openMcp } from '../mcp/open-mcp.ts'
import { openMedia } from '../media/open-media.ts'
import { createTranscription } from '../media/transcription.ts'
import { createModels, type Models } from '../models/models.ts'
import { withProgramModels } from '../models/program-models.ts'
import { managedFile, openPermissions } from '../permission/permissions.ts'
import { connectionSecrets } from '../query/connections.ts'
import { openQueries } from '../query/open-queries.ts'
import { createAskAnswers } from '../runs/asks.ts'
import { createInbox } from '../runs/inbox.ts'
import { createJournal } from '../runs/journal.ts'
import { createRunManager } from '../runs/run-manager.ts'
import { serversLayer, skillsLayer } from '../runs/system-prompt.ts'
import { createAttachments } from '../sessions/attachments.ts'
import { createBlobFiles } from '../sessions/blobs.ts'
import { openContext } from '../sessions/context.ts'
import { createTitleWriter } from '../sessions/titles.ts'
import { createSkillImports } from '../skills/skill-imports.ts'
import { createSkillRegistry } from '../skills/skill-registry.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import { createPageCalls } from '../tabs/page-calls.ts'
import { createPageTabs } from '../tabs/page-tabs.ts'
import { openTerminals } from '../terminals/open-terminals.ts'
import { createTakeOverNotes } from '../terminals/take-over.ts'
import { openPublishedPages } from '../transfer/publish/published-pages.ts'
import { openSpending } from '../usage/spending.ts'
import { createLogger } from '../util/logger.ts'
import { createFolderLanes } from '../workspaces/folder-lanes.ts'
import { createFolderStates } from '../workspaces/folder-states.ts'
import { openWorkspaces } from '../workspaces/open-workspaces.ts'
import { createProjects, sessionScope } from '../workspaces/projects.ts'
import type { ServerOptions } from './server.ts'
import { openWorktrees } from '../worktrees/open-worktrees.ts'
import { sessionServices } from './session-services.ts'

/** Everything that routes and runs use. Opened once. */
export type Services = Awaited<ReturnType<typeof openServices>>

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
  const config = openConfig(home)
  const models = openModels(options, { home, env, config })
  const lanes = closing(createFolderLanes(options.folderLanes))
  const folderStates = closing(createFolderStates(lanes))
  const { responds } = folderStates
  const gitSecrets = createGitSecrets(responds)
  /** Its secrets are known only after it opens. */
  const opened: { mcp?: Mcp } = {}
  const withoutSecrets = (text: string): string => {
    const others = [
      home.token,
      config.get().search?.apiKey ?? '',
      config.get().publish?.bucket?.secretAccessKey ?? '',
      ...connectionSecrets(config.get().connections),
      ...(opened.mcp?.secrets() ?? []),
      ...gitSecrets.all(),
    ]
    return models.redact(redact(text, others))
  }
  const logger = createLogger({ level: options.logLevel, write: log, redact: withoutSecrets })
  // Runs in a separate process while the store opens.
  const finding = options.sandbox ?? findSandbox({ troupeHome: home.path, env })
  const store = closing(await openSqliteStore({ home: home.path, log: logger }))
  await store.messages.purge()
  await clearUnfinishedBackups(home.path)
  const sandbox = await finding
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
  const hooks = openHooks({ home: home.path, personHome, config, projects: projectConfigs, env, logger, responds })
  const mcp = closing(
    openMcp({
      home: home.path,
      config,
      projects: projectConfigs,
      responds,
      env,
      redirectUrl: () => `${origin()}/ai/mcp/callback`,
      readyMs: options.mcpReadyMs,
    }),
  )
  opened.mcp = mcp
  const toolFiles = openTools({ home: home.path, logger })
  const workspaces = await openWorkspaces({
    store,
    states: folderStates,
    config,
    home: home.path,
    personHome,
    own: path.resolve(options.workspace ?? process.cwd()),
    load(workspace) {
      gitSecrets.watch(workspace.path)
      toolFiles.load(workspace)
      permissions.load(workspace)
      mcp.load(workspace)
    },
    onMove: (from, to) => layers.move(from, to),
  })
  const projects = createProjects({ store, states: folderStates, configs: projectConfigs })
  if (folderStates.responds(workspaces.own.path)) workspaces.load(workspaces.own)
  const journal = closing(
    createJournal(store, {
      onError: (error) => logger({ level: 'error', message: 'the journal was not written', error: String(error) }),
    }),
  )
  const tabs = closing(createPageTabs())
  const pageCalls = createPageCalls(tabs, async (id) => (await store.sessions.get(id))?.workspaceId)
  const inbox = createInbox(store, pageCalls)
  const blobs = createBlobFiles(path.join(home.path, 'blobs'))
  const states = closing(createAgentStates(home.path, { sandbox: sandbox.sandbox, idleMs: options.idleMs }))
  const browsers = closing(
    openBrowsers({
      home: home.path,
      env,
      settings: () => config.get().browser ?? {},
      ownPort: () => Number(new URL(origin()).port || 80),
    }),
  )
  const tools = createWorkspaceTools({ files: toolFiles, mcp, browsers, config })
  const spending = closing(
    await openSpending({
      store,
      limits: () => budgetOf(config),
      logger,
    }),
  )
  const media = closing(openMedia({ models, blobs, store, spending, ownFolder: workspaces.own.path }))
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
  })
  const worktrees = closing(
    openWorktrees({
      home: home.path,
      env,
      store,
      config,
      workspaces,
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
    }),
  )
  const files = closing(openFiles(home.path))
  const documents = closing(openDocuments())
  const documentPages = closing(openDocumentPages({ sandbox: sandbox.sandbox }))
  const printer = createPrinter({ folder: path.join(home.path, 'print'), executable: browsers.chromium })
  const queries = closing(
    openQueries({ connections: () => config.get().connections ?? {}, home: home.path, sandbox: sandbox.sandbox }),
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
    media,
    queries,
    browser: browsers,
    code: lsp.of,
    documents,
    printer,
    pictures: createPictureEditor(),
    transcription,
    attachments: createAttachments({ home: home.path, blobs, documents, transcription }),
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
    dropState: (sessionId, agentId) => states.dropAgent(sessionId, agentId),
    pickState: (sessionId, column, others) => states.pick(sessionId, column, others),
    onFirstAnswer: titles.answered,
    stallMs: options.stallMs,
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
    grants,
    tools: enabledTools,
    states,
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
    browsers,
    callTool,
    commands,
    config,
    context,
    env,
    files,
    documents,
    documentPages,
    home,
    hooks,
    inbox,
    instructions,
    lanes,
    layers,
    logger,
    lsp,
    mcp,
    media,
    models,
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
    states,
    store,
    tabs,
    takeOverNotes,
    terminals,
    tools,
    typedAddresses,
    workspaces,
    worktrees,
    published: openPublishedPages({ store, blobs, config, redact: withoutSecrets, logger }),
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
      await browsers.drop(sessionId)
      await context.forget(sessionId)
    },
  }
}

function openModels(
  options: ServerOptions,
  { home, env, config }: { home: Home; env: NodeJS.ProcessEnv; config: ConfigFile },
): Models {
  const defaultModel = (): string | undefined => env['TROUPE_MODEL'] || config.get().model || undefined
  const configured = createModels({
    settings: () => config.get().providers ?? {},
    env,
    defaultModel: () => defaultModel() ?? Object.keys(options.models ?? {})[0],
    mediaModel: (kind) => config.get().media?.[kind],
    learnedFile: path.join(home.path, 'model-windows.json'),
    probe: options.probe,
  })
  return options.models === undefined ? configured : withProgramModels(configured, options.models, defaultModel)
}

function runLimits(config: ConfigFile): { steps?: number; tokens?: number; ms?: number } {
  const { steps, tokens, seconds } = config.get().limits ?? {}
  return { steps, tokens, ms: seconds === undefined ? undefined : seconds * 1000 }
}

function budgetOf(config: ConfigFile): { day?: number; month?: number } {
  const { day, month } = config.get().budget ?? {}
  return { ...(day !== undefined && { day }), ...(month !== undefined && { month }) }
}

/** Passwords and tokens from the git configs of open repositories, to redact from text. */
interface GitSecrets {
  watch(folder: string): void
  all(): string[]
}

const maxFolders = 100
const maxConfigBytes = 256 * 1024

/** `responds` is false for a folder that hangs. Its known secrets stay secret. */
function createGitSecrets(responds: (folder: string) => boolean): GitSecrets {
  const folders = new Map<string, { mtimeMs: number; secrets: string[] }>()
  return {
    watch(folder) {
      if (folders.size < maxFolders && !folders.has(folder)) folders.set(folder, { mtimeMs: -1, secrets: [] })
    },
    all() {
      for (const [folder, known] of folders) {
        if (!responds(folder)) continue
        const file = path.join(folder, '.git', 'config')
        const found = statSync(file, { throwIfNoEntry: false })
        if (found === undefined || found.mtimeMs === known.mtimeMs || found.size > maxConfigBytes) continue
        // Previous values stay secret.
        const secrets = [...new Set([...known.secrets, ...gitConfigSecrets(read(file))])].slice(-100)
        folders.set(folder, { mtimeMs: found.mtimeMs, secrets })
      }
      return [...folders.values()].flatMap(({ secrets }) => secrets)
    },
  }
}

function gitConfigSecrets(config: string): string[] {
  const secrets: string[] = []
  for (const [, user = '', password] of config.matchAll(/:\/\/([^\s/@:"]*)(?::([^\s/@"]*))?@/g)) {
    // A user name without a password may be a token. Short ones such as `git` are not.
    const secret = password ?? (user.length >= 16 ? user : '')
    secrets.push(secret, decoded(secret))
  }
  for (const [, header = ''] of config.matchAll(/extraheader\s*=.*?\b(?:basic|bearer|token)\s+([^\s"]+)/gi))
    secrets.push(header)
  return secrets.filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

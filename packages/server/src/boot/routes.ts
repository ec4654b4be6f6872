import type { Blobs, Media, SandboxFinding, Session, Tool, Workspace } from '@troupe/core'
import { configRoutes, type ConfigRoutesOptions } from '../admin/config-routes.ts'
import { dataRoutes, type DataRoutesOptions } from '../admin/data-routes.ts'
import { diagnose } from '../admin/diagnose.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { agentRoutes } from '../agents/agent-routes.ts'
import { type AgentStates, taskRoutes } from '../agents/agent-states.ts'
import { readerRoutes } from '../browser/reader-routes.ts'
import { chatRoutes } from '../chat/chat-routes.ts'
import type { ChatContext } from '../chat/handle-chat.ts'
import { commandRoutes } from '../commands/command-routes.ts'
import type { CommandParts } from '../commands/open-commands.ts'
import { type ConfigFile, toolSettings } from '../config/config.ts'
import { hookRoutes, type WorkspaceHooks } from '../extensions/hooks.ts'
import { type LoadProblem, toolRoutes } from '../extensions/tools.ts'
import { type Access, authRoutes } from '../http/access.ts'
import { healthRoutes } from '../http/open-api.ts'
import type { Route } from '../http/route.ts'
import { type OpenWorkspace, workspaceRoutes } from '../http/scope.ts'
import { type CallTool, createCallTool, toolCallRoutes } from '../mcp-server/call-tool.ts'
import { mcpRoutes } from '../mcp/mcp-routes.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import { mediaRoutes } from '../media/media-routes.ts'
import { checkParams, modelLimits } from '../models/call-settings.ts'
import type { Models } from '../models/models.ts'
import { modelRoutes, providerRoutes } from '../models/provider-routes.ts'
import { ruleRoutes, type RuleRoutesOptions } from '../rules/rule-routes.ts'
import { askRoutes, createAskAnswers, toolAckRoutes } from '../runs/asks.ts'
import type { Inbox } from '../runs/inbox.ts'
import { allowedTools, masterFrame } from '../runs/prepare-run.ts'
import type { RunManager } from '../runs/run-manager.ts'
import { blocksFor, joinBlocks, type PromptBlock } from '../runs/system-prompt.ts'
import { blobRoutes } from '../sessions/blobs.ts'
import { changeRoutes, type ChangesOptions } from '../sessions/changes.ts'
import { contextRoutes, type NextCall } from '../sessions/context-routes.ts'
import type { LastCalls } from '../sessions/context.ts'
import { debugRoutes, messageRoutes } from '../sessions/message-routes.ts'
import { type SessionFileOptions, sessionFileRoutes } from '../sessions/session-files.ts'
import { folderRoutes, sessionRoutes } from '../sessions/session-routes.ts'
import { type SkillImports, skillRoutes } from '../skills/skill-imports.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
import { type PageCalls, tabRoutes } from '../tabs/page-calls.ts'
import type { PageTabs } from '../tabs/page-tabs.ts'
import { type TransferOptions, transferRoutes } from '../transfer/transfer-routes.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import type { OpenPartsContext, ServerParts } from './open-parts.ts'
import { version } from './server.ts'

export interface RouteContext extends ChatContext, RuleRoutesOptions, DataRoutesOptions, TransferOptions {
  store: TransferOptions['store']
  live: RunManager
  inbox: Inbox
  tabs: PageTabs
  pageCalls: PageCalls
  states: AgentStates
  stateOf: SessionFileOptions['stateOf'] & ChangesOptions['stateOf']
  ownPort: () => number
  blobs: Blobs
  models: Models
  media: Media
  config: ConfigFile
  environmentModel: ConfigRoutesOptions['environmentModel']
  mcp: Mcp
  callTool: CallTool
  agentBook: AgentRegistry
  skillBook: SkillRegistry
  skillImports: SkillImports
  hookBook: WorkspaceHooks
  ownCommands: CommandParts['ownCommands']
  lastCalls: LastCalls
  nextCall: (session: Session) => Promise<NextCall>
  access: Access
  version: string
  openWorkspace: OpenWorkspace
  instructions: (session: Session) => Promise<string>
  tools: (workspaceId: string) => readonly Tool[]
  useTools: () => readonly string[] | null | undefined
  problems: (workspace: Workspace) => LoadProblem[]
  /** Called before a session is deleted. Releases its agents' resources. */
  onDelete: (sessionId: string) => Promise<void>
  onTrust: (workspace: Workspace) => void
}

/** Creates all routes without calling the context, so the API reference can be generated without a server. */
export function createRoutes(context: RouteContext): Route[] {
  const inTurn = createKeyedMutex()
  const routes: Route[] = [
    ...authRoutes(context),
    ...chatRoutes({ ...context, inTurn }),
    ...sessionRoutes({ ...context, inTurn }),
    ...messageRoutes({ ...context, inTurn }),
    ...changeRoutes(context),
    ...folderRoutes(context),
    ...transferRoutes(context),
    ...agentRoutes(context),
    ...contextRoutes(context),
    ...askRoutes(context),
    ...ruleRoutes(context),
    ...blobRoutes(context),
    ...modelRoutes({ models: context.models, defaultModel: () => context.modelId(undefined).catch(() => null) }),
    ...mediaRoutes(context),
    ...providerRoutes(context),
    ...configRoutes(context),
    ...toolRoutes(context),
    ...commandRoutes(context),
    ...skillRoutes(context),
    ...hookRoutes({ store: context.store, hooks: context.hookBook }),
    ...dataRoutes(context),
    ...toolCallRoutes(context),
    ...mcpRoutes(context),
    ...toolAckRoutes(context),
    ...tabRoutes(context),
    ...taskRoutes(context),
    ...sessionFileRoutes(context),
    ...readerRoutes(context),
    ...workspaceRoutes(context),
    ...debugRoutes(context),
    ...healthRoutes({ version: context.version, routes: () => routes }),
  ]
  return routes
}

interface RouteAccess {
  access: Access
  openWorkspace: OpenWorkspace
  ownPort: () => number
  uploads: string
  /** Called when a session is deleted. Removes everything that belongs to it. */
  onDelete: (sessionId: string) => Promise<void>
}

export function connectRoutes(
  parts: ServerParts,
  { home, env }: Pick<OpenPartsContext, 'home' | 'env'>,
  door: RouteAccess,
): Route[] {
  const { agent, blobs, config, context, enabledIn, hooks, inbox, live, messageParts, models, sandbox } = parts
  const { states, store, tabs, withoutSecrets, workspace, workspaceOf } = parts
  const { permissions, layers, grants, ruleBook } = parts.permissionParts
  const answers = createAskAnswers({
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
  const beginning = async (session: Session): Promise<{ blocks: PromptBlock[]; tools: readonly Tool[] }> => {
    const definition = await agent(session, session.agent ?? 'master')
    const picked = allowedTools(definition.tools, enabledIn(session.workspaceId))
    const blocks = await context.blocks(session, masterFrame(definition), definition.prompt)
    return { blocks: blocksFor(blocks, picked), tools: picked }
  }
  return createRoutes({
    ...door,
    store,
    live,
    inbox,
    tabs,
    pageCalls: parts.pageCalls,
    states,
    stateOf: async (session) => states.of(session, await workspaceOf(session)),
    blobs,
    media: parts.media,
    models,
    config,
    environmentModel: env['TROUPE_MODEL'] || null,
    version,
    modelId: async (id) => (await models.resolveChatModel(id)).id,
    checkParams: async (id, params) => checkParams(params, (await models.resolveChatModel(id)).definition),
    instructions: async (session) => joinBlocks((await beginning(session)).blocks),
    agentBook: parts.agentBook,
    skillBook: parts.skillBook,
    skillImports: parts.skillImports,
    hookBook: hooks,
    homePath: home.path,
    copyDatabase: store.copyTo,
    diagnose: (folder) => Array.fromAsync(diagnose({ env, cwd: folder, home: home.path })),
    takeMessage: messageParts.takeMessage,
    typedAddresses: parts.typedAddresses,
    commands: messageParts.commands,
    ownCommands: messageParts.ownCommands,
    lastCalls: context.lastCalls,
    nextCall: async (session) => {
      const { blocks, tools: picked } = await beginning(session)
      const { definition: model, id } = await models.resolveChatModel(session.model ?? undefined)
      return {
        model: { id, ...modelLimits(model) },
        blocks,
        tools: picked,
        offers: (action) => tabs.offers(session.workspaceId, action),
        mode: permissions.modeOf(session),
      }
    },
    tools: parts.toolsIn,
    mcp: parts.mcp,
    callTool: createCallTool({
      permissions,
      tools: enabledIn,
      hooks: (opened) => hooks.of(opened),
      state: (id, opened) => states.of({ id }, opened),
      blobs,
      browser: parts.browsers,
      redact: withoutSecrets,
      settings: (name) => toolSettings(config, name),
    }),
    useTools: parts.useTools,
    problems: parts.problemsOf,
    redact: withoutSecrets,
    onTrust: parts.load,
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
    allowBypass: parts.allowBypass,
    sandbox: { available: sandbox.sandbox !== undefined, text: sandbox.text, ...sandboxFix(sandbox) },
  })
}

function sandboxFix({ fix }: SandboxFinding): { fix?: string } {
  return fix === undefined ? {} : { fix }
}

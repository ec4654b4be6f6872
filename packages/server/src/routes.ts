import type { Blobs, Media, Session, Tool, Workspace } from '@troupe/core'
import type { Access } from './access.ts'
import type { ChatContext } from './chat.ts'
import type { ConfigFile } from './config.ts'
import type { Inbox } from './inbox.ts'
import { createKeyedMutex } from './in-turn.ts'
import type { RunManager } from './live.ts'
import type { CallTool } from './mcp/call-tool.ts'
import type { Mcp } from './mcp/open-mcp.ts'
import type { Models } from './models.ts'
import type { LoadProblem } from './open-tools.ts'
import type { OpenWorkspace } from './open-workspace.ts'
import type { PageCalls } from './pages/page-calls.ts'
import type { PageTabs } from './pages/page-tabs.ts'
import type { Route } from './route.ts'
import type { AgentRegistry } from './agent-book.ts'
import type { AgentStates } from './agent-states.ts'
import { agentRoutes } from './routes/agents.ts'
import { askRoutes } from './routes/asks.ts'
import { authRoutes } from './routes/auth.ts'
import { blobRoutes } from './routes/blobs.ts'
import { changeRoutes, type ChangesOptions } from './routes/changes.ts'
import { chatRoutes } from './routes/chat.ts'
import type { LastCalls } from './context/last-call.ts'
import { configRoutes, type ConfigRoutesOptions } from './routes/config.ts'
import { contextRoutes, type NextCall } from './routes/context.ts'
import { dataRoutes, type DataRoutesOptions } from './routes/data.ts'
import { debugRoutes } from './routes/debug.ts'
import { folderRoutes } from './routes/folders.ts'
import { healthRoutes } from './routes/health.ts'
import { hookRoutes } from './routes/hooks.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { mediaRoutes } from './routes/media.ts'
import { messageRoutes } from './routes/messages.ts'
import { modelRoutes } from './routes/models.ts'
import { previewRoutes } from './routes/previews.ts'
import { providerRoutes } from './routes/providers.ts'
import { ruleRoutes, type RuleRoutesOptions } from './routes/rules.ts'
import { readerRoutes } from './routes/reader.ts'
import { sessionFileRoutes, type SessionFileOptions } from './routes/session-files.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { skillImportRoutes } from './routes/skill-imports.ts'
import { transferRoutes, type TransferOptions } from './routes/transfer.ts'
import { commandRoutes } from './routes/skills.ts'
import type { WorkspaceHooks } from './open-hooks.ts'
import type { SkillRegistry } from './skills/skill-book.ts'
import type { SkillImports } from './skills/skill-imports.ts'
import type { CommandParts } from './commands/open-commands.ts'
import { tabRoutes } from './routes/tabs.ts'
import { taskRoutes } from './routes/tasks.ts'
import { toolCallRoutes } from './routes/tool-calls.ts'
import { toolAckRoutes } from './routes/tools-ack.ts'
import { toolRoutes } from './routes/tools.ts'
import { workspaceRoutes } from './routes/workspace.ts'

/** What the routes stand on. */
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
  /** What the next call of a session would be made of. */
  nextCall: (session: Session) => Promise<NextCall>
  access: Access
  version: string
  openWorkspace: OpenWorkspace
  instructions: (session: Session) => Promise<string>
  tools: (workspaceId: string) => readonly Tool[]
  useTools: () => readonly string[] | null | undefined
  problems: (workspace: Workspace) => LoadProblem[]
  /** A session is about to be deleted: what its agents hold goes first. */
  onDelete: (sessionId: string) => Promise<void>
  /** The person trusts the folder, or no longer. */
  onTrust: (workspace: Workspace) => void
}

/** Every route of the server. Making them calls nothing of the context, so the reference is made without a server. */
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
    ...previewRoutes(context),
    ...toolRoutes(context),
    ...commandRoutes(context),
    ...skillImportRoutes(context),
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

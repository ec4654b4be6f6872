import type { AgentState, FoundCommands, FoundSkills, Mode, Session, Store, Workspace } from '@troupe/core'
import type { Chunk, Part, StoredMessage } from '@troupe/protocol'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import type { PromptCommand } from '../../mcp/prompt-commands.ts'
import type { Models } from '../../models/models.ts'
import type { RunRequest } from '../../runs/prepare-run.ts'
import type { Spending } from '../../usage/spending.ts'

/** A built-in slash command, handled without a model. */
export interface BuiltInCommand {
  name: string
  aliases?: readonly string[]
  argument?: string
  about: string
  run(call: CommandCall, context: CommandContext): Promise<CommandReply> | CommandReply
}

export interface CommandCall {
  session: Session
  workspace: Workspace
  userMessageId: string
  rest: string
  /** The branch up to and including that message. */
  chain: readonly StoredMessage[]
}

export type CommandReply =
  | { text: string; parts?: Part[]; chunks?: Chunk[] }
  | { run: Partial<RunRequest>; mode?: Mode }

export interface CommandContext {
  /** All built-in commands in display order. */
  builtIns: readonly BuiltInCommand[]
  store: Store
  models: Pick<Models, 'resolveChatModel' | 'listModels'>
  spending: Pick<Spending, 'guard'>
  agents: AgentRegistry
  setMode(sessionId: string, mode: Mode): Promise<Session>
  state(session: Session, workspace: Workspace): AgentState
  skills: { of(workspace: Workspace, session: Session): Promise<FoundSkills> }
  ownCommands(workspace: Workspace): UsableCommands
  /** Loads the workspace's extensions first. */
  workspace(session: Session): Promise<Workspace>
}

/** Commands besides the built-ins: the user's own, those of a trusted folder, and MCP prompts. */
export interface UsableCommands {
  commands: (FoundCommands['commands'][number] | PromptCommand)[]
  problems: FoundCommands['problems']
}

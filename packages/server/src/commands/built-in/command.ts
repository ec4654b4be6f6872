import type { AgentState, FoundCommands, FoundSkills, Mode, Session, Store, Workspace } from '@troupe/core'
import type { Chunk, Part, StoredMessage } from '@troupe/protocol'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import type { PromptCommand } from '../../mcp/prompt-commands.ts'
import type { Models } from '../../models/models.ts'
import type { RunRequest } from '../../runs/prepare-run.ts'

/** A command of ours: what a message begins with that is not for a model. */
export interface BuiltInCommand {
  name: string
  /** Other names for it. */
  aliases?: readonly string[]
  /** What may follow it, for people. */
  argument?: string
  about: string
  run(call: CommandCall, context: CommandContext): Promise<CommandReply> | CommandReply
}

export interface CommandCall {
  session: Session
  workspace: Workspace
  /** The message that the command is. */
  userMessageId: string
  /** What follows the name. */
  rest: string
  /** The branch up to that message, that included. */
  chain: readonly StoredMessage[]
}

/** A small answer, or a run. */
export type CommandReply =
  | { text: string; parts?: Part[]; chunks?: Chunk[] }
  | { run: Partial<RunRequest>; mode?: Mode }

/** What commands work with. */
export interface CommandContext {
  /** All of them, in the order in which they are shown. */
  builtIns: readonly BuiltInCommand[]
  store: Store
  models: Pick<Models, 'resolveChatModel' | 'listModels'>
  agentBook: AgentRegistry
  setMode(sessionId: string, mode: Mode): Promise<Session>
  state(session: Session, workspace: Workspace): AgentState
  skills(workspace: Workspace, session: Session): Promise<FoundSkills>
  ownCommands(workspace: Workspace): UsableCommands
}

/** The commands besides ours: the person's own, those of a trusted folder, and prompts of MCP servers. */
export interface UsableCommands {
  commands: (FoundCommands['commands'][number] | PromptCommand)[]
  problems: FoundCommands['problems']
}

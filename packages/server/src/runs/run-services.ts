import type {
  AgentDefinition,
  AgentFrame,
  AgentState,
  Attachments,
  Blobs,
  Browser,
  Documents,
  Limits,
  Media,
  Queries,
  RunInput,
  RunRecord,
  Session,
  Store,
  Tool,
  Workspace,
} from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import type { Models } from '../models/models.ts'
import type { RuleTexts } from '../permission/rule-layers.ts'
import type { Spending } from '../usage/spending.ts'
import type { Logger } from '../util/logger.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './journal.ts'
import type { PromptBlock } from './system-prompt.ts'

/** Services shared by all runs of the process. */
export interface RunServices {
  store: Store
  blobs: Blobs
  /** The blobs of one chat, if there are accounts. Default: all. */
  blobsOf?(sessionId: string): Blobs
  media?: Media
  queries?: Queries
  browser?: Browser
  /** Language servers of a folder. */
  code?(workspace: Workspace): RunInput['code']
  documents?: Documents
  printer?: RunInput['printer']
  pictures?: RunInput['pictures']
  transcription?: RunInput['transcription']
  attachments?: Attachments
  vision?: RunInput['vision']
  journal: Journal
  inbox: Inbox
  logger: Logger
  models: Pick<Models, 'resolveChatModel' | 'learn' | 'of'>
  /** Counts model calls, and stops them when the user's budget is used up. */
  spending?: Pick<Spending, 'guard' | 'watch' | 'unwatch' | 'flush'>
  credentials: NonNullable<RunInput['credentials']>
  /** Returns the services of a session's workspace. Called once per run. */
  session(session: Session): Promise<SessionServices>
  limits(): Partial<Limits>
  recovery(): 'continue' | 'wait'
  toolSettings(name: string): unknown
  redact(text: string): string
  /** Called when a sub-agent ends. Drops its state and ends its background commands. */
  dropState(sessionId: string, agentId: string): Promise<void>
  /** The session goes on with the state of this column. The states of the others are dropped. */
  pickState(sessionId: string, column: string, others: readonly string[]): Promise<void>
  /** Called when an answer to the first message of a branch is finished and stored. */
  onFirstAnswer?(record: RunRecord): void
  stallMs?: number
  /** Tells the cluster which sessions this process works on, so that another can take them over. */
  turns?: Turns
}

export interface Turns {
  /** Called in the transaction that stores a run. */
  begin(sessionId: string, inside: Store): Promise<void>
  /** No run of the session is live here any more. `left`: it is unfinished, and another process continues it. */
  end(sessionId: string, left: boolean): void
  /** Throws once this process may have lost its sessions. Checked before each tool call. */
  assertValid(): void
  /** Somebody answered an ask of the session. */
  answered(sessionId: string): Promise<void>
  /** Throws `NotHere` (421) unless this process has the session. Checked before a run starts. */
  assertHeld(sessionId: string): void
  /** Grows each time a process takes the session. Undefined if this process does not have it. */
  fence(sessionId: string): number | undefined
  /**
   * The database failed while a run of the session needed it. Abandons the session's runs here, and continues them
   * from their journals as soon as the database answers.
   */
  suspend(sessionId: string): void
}

/** A session's view of its workspace: agents, tools, permissions, hooks and state. One object per run. */
export interface SessionServices {
  readonly workspace: Workspace
  readonly project?: RunInput['project']
  readonly projects?: RunInput['projects']
  tools(): readonly Tool[]
  /** True if an open page of the workspace offers an action. May also return hints for models. */
  offers(action: string): boolean | readonly string[]
  /** Waits briefly for tool sources. Returns a note for the model about those that are not ready. */
  ready(): Promise<string | undefined>
  agent(name: string): Promise<AgentDefinition>
  /** Returns the agents that the session can delegate to with this page open. */
  agents(page?: string): Promise<readonly AgentDefinition[]>
  whyNoAgent(name: string): Promise<string | undefined>
  /** Returns an agent's prompt with its context: environment and available sub-agents. */
  blocks(
    frame: AgentFrame,
    prompt: string,
    now?: { history?: readonly StoredMessage[]; page?: string | undefined },
  ): Promise<readonly PromptBlock[]>
  /** Called before the session's agent makes a model call from these parts. */
  onStart(call: ModelCallStart): void
  /**
   * Decides each call separately with the current rules. `rules` apply to this run only. While `isCompared`, other
   * models answer the same message, so changes need approval. `person` started the run, in team mode.
   */
  decide(rules?: RuleTexts, isCompared?: () => boolean, person?: string): RunInput['decide']
  mode(): NonNullable<RunInput['mode']>
  hooks(): NonNullable<RunInput['hooks']>
  /** Allows fetching addresses the user typed in these messages. */
  noteUserHosts(history: readonly StoredMessage[]): void
  /** The state of a sub-agent, of one of several compared answers (by its message id), or of the session. */
  state(
    owner: { agentId?: string | undefined; column?: string | undefined },
    history: readonly StoredMessage[],
  ): AgentState
}

/** A decision about a tool call of a run. */
export interface SeenDecision {
  session: Session
  person: string | undefined
  call: Parameters<RunInput['decide']>[0]
  ctx: Parameters<RunInput['decide']>[1]
  decision: Awaited<ReturnType<RunInput['decide']>>
}

export interface ModelCallStart {
  blocks: readonly PromptBlock[]
  tools: readonly Tool[]
  model: RunInput['model']
  history: readonly StoredMessage[]
  userMessageId: string
}

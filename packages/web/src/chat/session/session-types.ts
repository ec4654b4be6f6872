import type { Answer, Mode, Session } from '@troupe/core'
import type { CallOf, Chunk, ComparedAnswer, ParamValues } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from '../../api/api.ts'
import type { ClientIds } from '../../platform/storage.ts'
import type { Panels } from '../../state/panels.ts'
import type { Queue } from './queue.ts'
import type { StreamTap, WakeSource } from './run-stream.ts'
import type { FilePartData, SessionState } from './session-state.ts'
import type { AgentChildren, SubAgentMap } from './sub-agents-state.ts'

export interface SessionServices {
  api: Api
  ids: ClientIds
  wake: WakeSource
  now: () => number
  /** Model for the next answer. Undefined lets the server decide. */
  model: () => string | undefined
  /** Models to compare with the next message. Undefined sends it to one model. */
  compare?: () => readonly string[] | undefined
  /** Called when the user continues with the answer of a model. */
  onPicked?: (model: string) => void
  /** Initial mode of the session. Undefined keeps the current one. */
  mode: () => Mode | undefined
  /** Agent for a new session. Undefined lets the server decide. */
  agent: () => string | undefined
  /** Project for a new session. Undefined for the whole folder. */
  project?: () => string | undefined
  /** Initial model parameters. Undefined keeps the current ones. */
  params?: () => ParamValues | undefined
  /** Sub-agents of the session, also if this is a sub-agent's conversation. */
  agents: SubAgents
  panels: Panels
  queue: Queue
  /** Chunks that affect more than this session: its title and asks. */
  onChunk: (chunk: Chunk) => void
  onAnswered: (askIds: readonly string[]) => void
  /** Called when messages change or an ask is answered, and with `run` when a run starts or ends. */
  onChange: (cause?: 'run') => void
  onError: (error: unknown) => void
  /** Called with the server's remark on a sent message. */
  onHint?: (text: string) => void
  saveDraft: (draft: string) => void
  saveAttachments: (attachments: SessionState['attachments']) => void
  /** Files removed before sending. They can be deleted unless something else references them. */
  freeFiles: (urls: readonly string[]) => void
}

export type ChatSessionStore = StoreApi<SessionState> & SessionActions

export interface SessionActions extends RemovalActions, QueueActions, RunActions, RatingActions {
  readonly agents: SubAgents
  readonly panels: Panels
  readonly queue: Queue
  /** Answers of compared models to the last message. */
  readonly columns: Columns
  /** Latest raw chunks from the server. */
  readonly stream: StreamTap
  /** Starts loading the session before it is shown. The first `open` continues from there. */
  readAhead: () => Promise<void>
  /** Loads the session and follows its run, if any. Calling it again refreshes. */
  open: () => Promise<void>
  /** Drops the stream. The run continues without this page. */
  close: () => void
  setDraft: (text: string) => void
  send: (text: string, files?: FilePartData[]) => Promise<void>
  attach: (files: Iterable<File>) => Promise<void>
  attachText: (text: string) => Promise<void>
  /** Resolves when the files of the draft are uploaded. False if one of them is gone by then. */
  filesUploaded: () => Promise<boolean>
  detach: (attachmentId: string) => void
  /** Creates a sibling branch with the edited message. */
  edit: (messageId: string, text: string) => Promise<void>
  /** Adds another answer, or answers an unanswered message. `model` selects a different model. */
  regenerate: (answerId: string, model?: string) => Promise<void>
  /** Continues with one of several answers. The others stop and stay as branches. */
  pick: (messageId: string) => Promise<void>
  /** Answers a column again, optionally with another model. */
  retryColumn: (messageId: string, model?: string) => Promise<void>
  /** Continues an answer that was cut off, as a new answer below it. */
  goOn: (answerId: string) => Promise<void>
  retryUnsent: () => Promise<void>
  takeBackUnsent: () => void
  showBranch: (messageId: string) => Promise<void>
  /** Hides everything after a message; null hides all, undefined nothing. The next message starts a branch there. */
  rewindTo: (messageId: string | null | undefined) => Promise<void>
  /** Shows a message and its branch. With `inSight`, the message is on the current branch. */
  goTo: (messageId: string, options?: { inSight?: boolean }) => Promise<void>
  arrived: () => void
  loadOlder: () => Promise<void>
  /** Switches the prompt between the older messages and their summary. */
  switchCompaction: (compactionId: string, off: boolean) => Promise<void>
}

export interface RemovalActions {
  /** Deletes a message and everything below it, and offers to undo. */
  remove: (messageId: string) => Promise<UndoRemoval>
  /** Deletes every branch except this message's, and offers to undo. */
  keepOnly: (messageId: string) => Promise<UndoRemoval>
}

export interface RatingActions {
  /** Rates an answer, changes the rating, or removes it with null. False if the server refused. */
  rate: (
    messageId: string,
    feedback: CallOf<'PUT /ai/sessions/:id/messages/:messageId/feedback'>['body'] | null,
  ) => Promise<boolean>
}

/** Restores the deleted messages. Undefined if nothing was deleted. */
export type UndoRemoval = (() => Promise<void>) | undefined

export interface QueueActions {
  enqueue: (text: string, files?: FilePartData[]) => void
  dequeue: (ids: readonly string[]) => void
  /** Sends the first queued message, even if the queue is held. */
  sendQueued: () => Promise<void>
}

export interface RunActions {
  stop: () => Promise<void>
  steer: (text: string) => Promise<void>
  answer: (askId: string, answer: Answer) => Promise<void>
}

export interface Columns extends StoreApi<ColumnsState> {
  /** Handles a chunk of the session's stream. Returns the chunk of the column, if it is one. */
  take: (chunk: Chunk) => Chunk | undefined
  restart: () => void
  /** Called when no run is left. */
  endAll: () => Promise<void>
}

export interface ColumnsState {
  /** The message that is compared. Null if there are no columns. */
  questionId: string | null
  columns: readonly Column[]
}

export interface Column extends ComparedAnswer {
  /** The answer as a conversation for a `SessionContext`. Its actions act on this answer. */
  conversation: ChatSessionStore
}

/** Sub-agents of one session, stored and live. */
export interface SubAgents extends StoreApi<SubAgentsState> {
  /** Called when the session comes into view. A new session has no sub-agents to load. */
  open: (options: { isNew: boolean }) => void
  close: () => void
  /** Handles a chunk of the session's stream. */
  handleChunk: (chunk: Chunk) => void
  /** Handles a chunk of an agent's own stream. */
  handleOwnChunk: (agentId: string, chunk: Chunk) => void
  runEnded: () => void
  /** Called when an agent's own stream has ended or does not exist. */
  ownEnded: (agentId: string) => void
  show: (shown: SubAgentsState['shown']) => void
  conversation: (agentId: string) => ChatSessionStore
  stop: (agentId: string) => Promise<void>
  /** False if the server rejected it. */
  send: (agentId: string, text: string) => Promise<boolean>
  retry: (agentId: string) => Promise<boolean>
  fork: (agentId: string) => Promise<Session | undefined>
}

export interface SubAgentsState {
  agents: SubAgentMap
  children: AgentChildren
  /** Panel next to the session: one agent, all agents (null ID), or none. */
  shown: { agentId: string | null } | null
  /** Agents with a pending request. */
  busy: ReadonlySet<string>
}

import type { Answer, Mode, Session } from '@troupe/core'
import type { Chunk, ParamValues } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from '../../api/api.ts'
import type { ClientIds } from '../../platform/storage.ts'
import type { Panels } from '../../state/panels.ts'
import type { Queue } from './queue.ts'
import type { StreamTap, WakeSource } from './run-stream.ts'
import type { FilePartData, SessionState } from './session-state.ts'
import type { AgentChildren, SubAgentMap } from './sub-agents-state.ts'

/** What a session stands on. */
export interface SessionServices {
  api: Api
  ids: ClientIds
  wake: WakeSource
  now: () => number
  /** The model that the next answer is to come from; undefined leaves it to the server. */
  model: () => string | undefined
  /** The mode that the session is to begin in; undefined leaves it as it is. */
  mode: () => Mode | undefined
  /** The agent that the session is to talk to from its beginning; undefined leaves it to the server. */
  agent: () => string | undefined
  /** Settings of the model that the session is to begin with; undefined leaves them as they are. */
  params?: () => ParamValues | undefined
  /** The sub-agents of the session, also where it is the conversation of one of them. */
  agents: SubAgents
  /** What stands beside the session. */
  panels: Panels
  /** What is to be sent when the run has ended. */
  queue: Queue
  /** Chunks that concern more than this session: its title, asks. */
  onChunk: (chunk: Chunk) => void
  /** These asks have their answer. */
  onAnswered: (askIds: readonly string[]) => void
  /** A run began or ended, messages changed. */
  onChange: () => void
  /** Something that was asked for did not work. */
  onError: (error: unknown) => void
  /** The server has something to say about what was sent. */
  onHint?: (text: string) => void
  keepDraft: (draft: string) => void
  keepAttachments: (attachments: SessionState['attachments']) => void
  /** These were taken out before they were sent: where nothing else holds them they need not be kept. */
  freeFiles: (urls: readonly string[]) => void
}

export type ChatSessionStore = StoreApi<SessionState> & SessionActions

export interface SessionActions extends RemovalActions, QueueActions, RunActions {
  readonly agents: SubAgents
  readonly panels: Panels
  readonly queue: Queue
  /** What the server has sent last, as it came. */
  readonly stream: StreamTap
  /** Begins to read the session before it is shown; the first `open` goes on with that. */
  readAhead: () => Promise<void>
  /** Reads the session and follows its run, if there is one. Also looks again when called again. */
  open: () => Promise<void>
  /** Lets go of the stream. The run goes on without this page. */
  close: () => void
  setDraft: (text: string) => void
  send: (text: string, files?: FilePartData[]) => Promise<void>
  /** Takes files to go with the next message. */
  attach: (files: Iterable<File>) => Promise<void>
  /** A long text as a file of its own. */
  attachText: (text: string) => Promise<void>
  detach: (attachmentId: string) => void
  /** The same message in other words: a new branch beside it. */
  edit: (messageId: string, text: string) => Promise<void>
  /** Another answer beside this one, or one to a message that has none; `model` where it is to come from another. */
  regenerate: (answerId: string, model?: string) => Promise<void>
  /** An answer that was cut goes on, as an answer below it. */
  goOn: (answerId: string) => Promise<void>
  retryUnsent: () => Promise<void>
  takeBackUnsent: () => void
  showBranch: (messageId: string) => Promise<void>
  /** Shows the branch of a message, and the message in it. `inSight`: it is a message of the branch that is looked at. */
  goTo: (messageId: string, options?: { inSight?: boolean }) => Promise<void>
  arrived: () => void
  loadOlder: () => Promise<void>
  /** Has the model told the older part as it was, or the summary of it again. */
  switchCompaction: (compactionId: string, off: boolean) => Promise<void>
}

export interface RemovalActions {
  /** Deletes a message with everything below it; a notice offers the way back. */
  remove: (messageId: string) => Promise<UndoRemoval>
  /** Deletes every branch but this message's; a notice offers the way back. */
  keepOnly: (messageId: string) => Promise<UndoRemoval>
}

/** Brings back what was deleted; undefined where nothing was. */
export type UndoRemoval = (() => Promise<void>) | undefined

export interface QueueActions {
  /** Sends it when the run has ended. */
  enqueue: (text: string, files?: FilePartData[]) => void
  /** Takes these out of the queue. */
  dequeue: (ids: readonly string[]) => void
  /** Sends the first of what is queued, whatever has held it. */
  sendQueued: () => Promise<void>
}

export interface RunActions {
  stop: () => Promise<void>
  /** Says something to the run that is on. */
  steer: (text: string) => Promise<void>
  answer: (askId: string, answer: Answer) => Promise<void>
}

/** The sub-agents of one session, as they stand and as they work. */
export interface SubAgents extends StoreApi<SubAgentsState> {
  /** The session has come into sight. One that nothing was said in yet has none to read. */
  open: (options: { isNew: boolean }) => void
  close: () => void
  /** Every chunk of the session's own stream. */
  take: (chunk: Chunk) => void
  /** Every chunk of an agent's own stream. */
  takeOwn: (agentId: string, chunk: Chunk) => void
  /** The session has no run, or none any more. */
  runEnded: () => void
  /** An agent's own stream has ended, or there is none. */
  ownEnded: (agentId: string) => void
  show: (shown: SubAgentsState['shown']) => void
  /** An agent's conversation, as a session. */
  conversation: (agentId: string) => ChatSessionStore
  stop: (agentId: string) => Promise<void>
  /** False when the server did not take it. */
  tell: (agentId: string, text: string) => Promise<boolean>
  retry: (agentId: string) => Promise<boolean>
  fork: (agentId: string) => Promise<Session | undefined>
}

export interface SubAgentsState {
  agents: SubAgentMap
  below: AgentChildren
  /** What stands beside the session: all of its agents, one of them, or nothing. */
  shown: { agentId: string | null } | null
  /** Those of which something was asked that has not been answered. */
  busy: ReadonlySet<string>
}

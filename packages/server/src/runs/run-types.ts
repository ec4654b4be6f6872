import type { AgentReport, RunOutcome, RunRecord, RunStatus, Session, Answer, Ask, Store } from '@troupe/core'
import type { Message, NamedError, SteeringMessage } from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import type { LiveLog } from './live-log.ts'
import type { PreparedRun, RecoveredState, RunRequest } from './prepare-run.ts'
import type { Payer } from '../usage/budget-accounts.ts'
import type { AnswerOptions, EarlyAnswer } from './inbox.ts'

export interface LiveRun {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly userMessageId: string
  /** The answer's id, if it is one of several that compared models write. For a sub-agent, that of its root. */
  readonly column: string | undefined
  /** Position among the columns. */
  readonly place: number
  /** True while the user has not continued with one of several answers. */
  readonly isCompared: boolean
  /** The person, folder and model that its calls count for. Empty outside team mode. */
  readonly payer?: Payer
  /** The page that started the run, if any. */
  readonly client?: string | undefined
  readonly status: RunStatus
  readonly log: LiveLog
  /** Resolves when the message is stored and exported and the run is closed. Rejects if it could not be stored. */
  readonly done: Promise<Message>
  /** Resolves when the run ends or waits for the user. */
  settled(): Promise<void>
  /**
   * Sends everything after `after`, or after the first of several numbers that this log sent. Without one, sends the
   * whole run.
   */
  subscribe(sink: Sink, options: { after?: number | readonly number[]; untilWaiting?: boolean }): () => void
}

export interface OpenRun extends LiveRun {
  status: RunStatus
  /** True once nothing more of it is written here. */
  readonly left: boolean
  /** True once its answer is complete, while it is being stored. */
  readonly isClosing: boolean
  /** Never rejects. */
  begin(): Promise<void>
  abort(reason: NamedError): void
  /** Throws `NoRun` (409) if the turn is already ending. Resolves once the message is durable. */
  steer(message: SteeringMessage): Promise<void>
  /** Called when an answer arrives. The run no longer waits until it says so again. */
  markRunning(): void
  stopAgent(agentId: string): Promise<AgentReport | undefined>
  /** Sends the user's message to a sub-agent. Throws `AgentNotFound` (404). */
  messageAgent(agentId: string, message: { id: string; text: string }): Promise<void>
  /** Stops all further writes of the run and its sub-agents. */
  freeze(): Promise<void>
  /** Called on shutdown. Ends at a safe point, or leaves a waiting run as it is. */
  detach(): Promise<void>
  /**
   * Leaves the run unfinished for another node: between two steps, while it waits for the user, or wherever it is once
   * the signal aborts.
   */
  handOver(now: AbortSignal): Promise<void>
  /** Ends immediately and writes nothing more, since another node has the run. */
  abandon(): void
}

export interface RunToBegin {
  record: RunRecord
  /** Start parameters, if this process has just created the record. */
  request?: RunRequest
  session: Session
  parts: PreparedRun
  recovered?: RecoveredState
  /**
   * Set for a new run. Its first journal entry stores it if it is not stored yet. If it is, a crash before that entry
   * starts it again from the beginning.
   */
  begun?: 'unstored' | 'stored'
}

export interface RunToOpen extends RunToBegin {
  openChild(given: RunToBegin): OpenRun
  /** Returns a run's state from an earlier process, only once. */
  claimRecovered(runId: string): RecoveredState | undefined
  /** True until the user continued with an answer of the column's comparison. */
  isCompared(column: string): boolean
  /**
   * Called before the streams end, once everything is stored. Otherwise gets the unstored outcome. `left`: the run is
   * unfinished, and another process continues it.
   */
  onClosed: (end: { unstored?: RunOutcome; left: boolean }) => void
}

/** The runs of this process. A session has at most one, or one per column while models are compared. */
export interface RunManager {
  /**
   * Starts a run that answers a stored user message. Throws `SessionBusy` (409), unless it is a column and all live
   * runs are other columns of the same message.
   */
  start(start: StartRun): Promise<LiveRun>
  /** Stores a run in the transaction that stores its user message. Call `start` with the record next. */
  store(start: StartRun, inside: Store): Promise<RunRecord>
  /** Closes a stored run that could not start. With `error`, stores a failed answer. */
  withdraw(record: RunRecord, error?: unknown): Promise<void>
  /** The session's run: the first of its columns, or the one that writes this answer. */
  get(sessionId: string, messageId?: string): LiveRun | undefined
  all(sessionId: string): readonly LiveRun[]
  /** The runs of all sessions. */
  live(): readonly LiveRun[]
  /** Calls back when a run of the session starts, or the user continues with one of several answers. */
  watch(sessionId: string, onChange: () => void): () => void
  /** Continues with one of several answers: changes need no more approval than usual. Stops the others. */
  pick(sessionId: string, messageId: string, others: readonly string[]): Promise<void>
  getAgent(sessionId: string, agentId: string): LiveRun | undefined
  /** Stops a sub-agent and its children. Its parent continues. Returns false if it is not active. */
  stopAgent(sessionId: string, agentId: string): Promise<boolean>
  /**
   * Sends the user's message to a sub-agent. During its session's run it arrives as if from the parent. Otherwise the
   * sub-agent continues alone in its own chat. Throws `AgentNotFound` (404).
   */
  messageAgent(
    session: Session,
    agentId: string,
    message: { id: string; text: string; person?: string | undefined },
  ): Promise<void>
  /**
   * Aborts a session's runs, or the one that writes this answer, and waits until they are stored and closed. Returns
   * undefined if there is none. In a cluster, throws `NotHere` (421) if they were left to another process meanwhile.
   */
  stop(sessionId: string, messageId?: string): Promise<{ runId: string; ms: number } | undefined>
  /** Throws `NoRun` (409). Resolves once the message is durable. */
  steer(sessionId: string, message: SteeringMessage): Promise<void>
  /** See `Inbox.answer`. */
  answer(askId: string, answer: Answer, options?: AnswerOptions): Promise<Ask>
  /** Handles a page's report about a call it executes, see `Inbox.acknowledge`. */
  acknowledge(early: EarlyAnswer): Promise<'resolved' | 'stored'>
  /**
   * Continues the unfinished runs of earlier processes, or those of one session. In a cluster, throws if a run that
   * waits for a person cannot be continued at the moment.
   */
  recover(sessionId?: string): Promise<void>
  /**
   * Waits for runs that are over but still being closed, since readers may know of their end first. A run that another
   * process left in that state counts, too. Waits at most 10 seconds.
   */
  closed(sessionId: string): Promise<void>
  /** Waits like `closed`, then throws `SessionBusy` (409) if a run is live, or the one that writes this answer. */
  assertFree(sessionId: string, messageId?: string): Promise<void>
  /** Leaves all runs of these sessions unfinished for another process, each at its next safe point. */
  handOver(sessionIds: readonly string[], now: AbortSignal): Promise<void>
  /**
   * Leaves the runs of a session unfinished, if all of them wait for a person. Resolves to false otherwise, and changes
   * nothing then.
   */
  park(sessionId: string): Promise<boolean>
  /** Ends all runs of a session immediately and writes nothing more, since another process has them. */
  abandon(sessionId: string): void
  /** The unfinished runs of these sessions, in this and in other processes. */
  states(sessionIds: readonly string[]): Promise<ReadonlyMap<string, readonly RunState[]>>
  /** Ends runs at the next safe point. Runs waiting for the user stay as they are. */
  close(): Promise<void>
}

export type RunState = Pick<LiveRun, 'id' | 'messageId' | 'userMessageId' | 'status'>

export interface StartRun {
  session: Session
  userMessageId: string
  request: RunRequest
  /** Id of the answer, if it is already known. */
  messageId?: string
  /** The run, if it is already stored. */
  record?: RunRecord
}

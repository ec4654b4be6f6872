import type { Sink } from './stream-response.ts'
import type {
  AgentReport,
  Message,
  NamedError,
  RunOutcome,
  RunRecord,
  RunStatus,
  Session,
  SteeringMessage,
} from '@troupe/core'
import type { SubAgentHostOptions } from './agent-host.ts'
import type { LiveLog } from './live-log.ts'
import type { RecoveredState, PreparedRun } from './run-parts.ts'

export interface LiveRun {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
  readonly userMessageId: string
  /** The page that started it, where one did. */
  readonly client?: string | undefined
  readonly status: RunStatus
  readonly log: LiveLog
  /** Resolves when the message is stored and exported and the run is closed. Rejects when it could not be stored. */
  readonly done: Promise<Message>
  /** Resolves when it ends or waits for a person. */
  settled(): Promise<void>
  /** Sends everything after `after`; a number that this log never sent, or none, gets the whole run. */
  subscribe(sink: Sink, options: { after?: number; untilWaiting?: boolean }): () => void
}

/** The hold that the owner of live runs has on one. */
export interface OpenRun extends LiveRun {
  status: RunStatus
  begin(): void
  abort(reason: NamedError): void
  /** Throws `NoRun` (409) when the turn has decided to end. Resolves when the message survives a crash. */
  steer(message: SteeringMessage): Promise<void>
  /** An answer came: until the run says otherwise it does not wait any more. */
  moved(): void
  /** A person stops a sub-agent. Undefined when it is not at work. */
  stopAgent(agentId: string): Promise<AgentReport | undefined>
  /** A person tells a sub-agent more. Throws `AgentNotFound` (404). */
  tellAgent(agentId: string, message: { id: string; text: string }): Promise<void>
  /** Nothing that happens from now on is written, here or below. */
  freeze(): Promise<void>
  /** The process is going: end at a safe point, or stay as it is when waiting. */
  leave(): Promise<void>
}

export interface RunToBegin {
  record: RunRecord
  session: Session
  parts: PreparedRun
  remains?: RecoveredState
}

export interface RunToOpen extends RunToBegin {
  /** Opens the run of a sub-agent. */
  openChild: SubAgentHostOptions['open']
  takeRemains: SubAgentHostOptions['takeRemains']
  /** Called before the streams end, when everything is stored, or with what could not be. */
  onClosed: (unstored?: RunOutcome) => void
}

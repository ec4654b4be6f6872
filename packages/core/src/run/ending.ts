import { NamedError } from '../error.ts'
import { stoppedText } from '../protocol/stopped-text.ts'

/** What the abort of a run's signal means. */
export interface Ending {
  status: 'aborted' | 'interrupted' | 'failed'
  /** What the calls are told that have no result. */
  text: string
}

/** The process goes: writes under way may still finish, and the answer is marked as interrupted. */
export const shutdown = new NamedError('Shutdown', 'Interrupted: the server was stopped.', { status: 503 })

/** A person's stop, unless the reason is a NamedError that says otherwise: those names interrupt, any other fails. */
export function endingOf(reason: unknown): Ending {
  if (!(reason instanceof NamedError) || reason.name === 'Stopped') {
    return { status: 'aborted', text: stoppedText }
  }
  const interrupts = reason.name === 'Shutdown' || reason.name === 'Interrupted'
  return { status: interrupts ? 'interrupted' : 'failed', text: reason.message }
}

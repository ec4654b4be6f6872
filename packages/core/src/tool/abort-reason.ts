import { NamedError, stoppedText } from '@troupe/protocol'

/** What the abort of a run's signal means. */
interface AbortReason {
  status: 'aborted' | 'interrupted' | 'failed'
  /** What the calls are told that have no result. */
  text: string
  /** When the stop was asked for, where that is known. */
  askedAt?: number
}

/** The process goes: writes under way may still finish, and the answer is marked as interrupted. */
export const shutdown = new NamedError('Shutdown', 'Interrupted: the server was stopped.', { status: 503 })

/** A person's stop, which knows when it was asked for. */
export function stopNow(): NamedError {
  return new NamedError('Stopped', 'Stopped by the person.', { data: { askedAt: Date.now() } })
}

/** A person's stop, unless the reason is a NamedError that says otherwise: those names interrupt, any other fails. */
export function abortReason(reason: unknown): AbortReason {
  if (!(reason instanceof NamedError) || reason.name === 'Stopped') {
    const askedAt = reason instanceof NamedError ? reason.data['askedAt'] : undefined
    return { status: 'aborted', text: stoppedText, ...(typeof askedAt === 'number' && { askedAt }) }
  }
  const interrupts = reason.name === 'Shutdown' || reason.name === 'Interrupted'
  return { status: interrupts ? 'interrupted' : 'failed', text: reason.message }
}

/** `data.errorCode` of what was thrown. By its shape: a tool of one's own may bring another copy of `NamedError`. */
export function readErrorCode(error: unknown): string | undefined {
  const code = (error as { data?: { errorCode?: unknown } | null } | null | undefined)?.data?.errorCode
  return typeof code === 'string' ? code : undefined
}

import { NamedError, stoppedText } from '@troupe/protocol'

interface AbortReason {
  status: 'aborted' | 'interrupted' | 'failed'
  /** Error text for calls without a result. */
  text: string
  askedAt?: number
}

/** The process shuts down. Current writes may still finish, and the answer is marked as interrupted. */
export const shutdown = new NamedError('Shutdown', 'Interrupted: the server was stopped.', { status: 503 })

export function stopNow(): NamedError {
  return new NamedError('Stopped', 'Stopped by the user.', { data: { askedAt: Date.now() } })
}

/**
 * Treats the reason as a user's stop, unless it is another NamedError. `Shutdown` and `Interrupted` interrupt the run,
 * any other name fails it.
 */
export function abortReason(reason: unknown): AbortReason {
  if (!(reason instanceof NamedError) || reason.name === 'Stopped') {
    const askedAt = reason instanceof NamedError ? reason.data['askedAt'] : undefined
    return { status: 'aborted', text: stoppedText, askedAt: typeof askedAt === 'number' ? askedAt : undefined }
  }
  const interrupts = reason.name === 'Shutdown' || reason.name === 'Interrupted'
  return { status: interrupts ? 'interrupted' : 'failed', text: reason.message }
}

/**
 * Reads `data.errorCode` of an error. Checks the shape, because a custom tool may bring another copy of `NamedError`.
 */
export function readErrorCode(error: unknown): string | undefined {
  const code = (error as { data?: { errorCode?: unknown } | null } | null | undefined)?.data?.errorCode
  return typeof code === 'string' ? code : undefined
}

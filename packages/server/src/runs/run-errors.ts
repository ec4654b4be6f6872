import { NamedError } from '@troupe/protocol'
import type { LiveRun } from './run-types.ts'

/** Another process has the session, or may have it. It closes the run or continues it. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof NamedError && (error.name === 'NotHere' || error.name === 'NodeLost')
}

/** True for a folder that does not answer at the moment. */
export function isTemporary(error: unknown): boolean {
  return error instanceof NamedError && error.status === 503
}

/** In a cluster, another node answers instead. */
export function shuttingDown(hasOthers: boolean): NamedError {
  const [name, status] = hasOthers ? ['NotHere', 421] : ['ShuttingDown', 503]
  return new NamedError(name as string, 'The server is shutting down.', { status: status as number })
}

export function sessionBusy(live: LiveRun | undefined): NamedError {
  return new NamedError('SessionBusy', 'An answer is already running in this chat. Stop it or wait for it to finish.', {
    status: 409,
    data: { runId: live?.id ?? null },
  })
}

export function noRun(): NamedError {
  return new NamedError('NoRun', 'No answer is running in this chat.', { status: 409 })
}

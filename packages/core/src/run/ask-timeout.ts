import type { Ask } from '../asks.ts'
import { NamedError } from '../error.ts'

/** What whoever waits is told when the time that an ask has is over. */
export function askTimeout({ id, timeoutMs = 0 }: Ask): NamedError {
  const text = `Nobody answered within ${timeoutMs / 1000} s. The page that was asked may be closed.`
  return new NamedError('AskTimeout', text, { status: 408, data: { askId: id, timeoutMs } })
}

/** Longer is for ever: timers of more than 24 days fire at once. */
export const longestAskMs = 2 ** 31 - 1

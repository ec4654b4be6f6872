import type { StoredMessage } from '@troupe/core/protocol'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { textOf } from './session-state.ts'

const spokenCharacters = 600

/** What is said of an answer whose run is over. Undefined as long as the answer does not say. */
export function howItEnded(answer: StoredMessage | undefined): string | undefined {
  const { error, aborted, interrupted, stopped, elapsedMs } = answer?.metadata ?? {}
  if (error !== undefined) return `Answer failed. ${error.message}`
  if (aborted === true) return 'Answer stopped.'
  if (interrupted === true) return 'Answer interrupted.'
  if (stopped !== undefined) return `Answer ended. ${stopped.message}`
  if (elapsedMs === undefined) return undefined
  return `Answer finished. ${stripMarkdown(textOf(answer)).slice(0, spokenCharacters)}`
}

import type { StoredMessage } from '@troupe/core/protocol'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { t } from '../texts/t.ts'
import { messageText } from './session-state.ts'

const spokenCharacters = 600

/** What is said of an answer whose run is over. Undefined as long as the answer does not say. */
export function describeRunEnd(answer: StoredMessage | undefined): string | undefined {
  const { error, aborted, interrupted, stopped, elapsedMs, finishReason } = answer?.metadata ?? {}
  if (error !== undefined) return t.chat.answerFailed(error.message)
  if (aborted === true) return t.chat.answerStopped
  if (interrupted === true) return t.chat.answerInterrupted
  if (stopped !== undefined) return t.chat.answerEnded(stopped.message)
  // The answer of a command took no time worth telling.
  if (elapsedMs === undefined && finishReason === undefined) return undefined
  return t.chat.answerFinished(stripMarkdown(messageText(answer)).slice(0, spokenCharacters))
}

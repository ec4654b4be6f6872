import { NamedError } from '@troupe/protocol'
import { readContextLimit } from '../model/provider-error.ts'
import { compactIfNeeded } from './compact.ts'
import type { Turn } from './turn.ts'

/**
 * Makes a model call and retries after fixable rejections. Shortens a conversation that is too long, and replaces
 * rejected files with text.
 */
export async function recoverModelCall<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
  /** A reported limit needs one retry. Without a number it takes several. */
  let triesLeft = 3
  for (;;) {
    try {
      const answer = await call()
      if (turn.plainFiles && turn.input.model.accepts === undefined) turn.input.model.onLearned?.({ accepts: [] })
      return answer
    } catch (error) {
      if (!(error instanceof NamedError) || turn.input.signal.aborted) throw error
      if (error.name === 'ContextTooLong' && triesLeft > 0) {
        const tooLong = readContextLimit(error.message)
        triesLeft = tooLong.limit === undefined ? triesLeft - 1 : 0
        await compactIfNeeded(turn, { tooLong })
        turn.input.signal.throwIfAborted()
      } else if (turn.sentFiles && !turn.plainFiles && mayRejectFiles(error)) turn.plainFiles = true
      else throw error.name === 'ContextTooLong' ? withAdvice(error) : error
    }
  }
}

/** Providers word this error differently, and some give no message. */
function mayRejectFiles({ name, message, data }: NamedError): boolean {
  const { statusCode } = data as { statusCode?: number }
  if (name === 'ContextTooLong') return true
  if (name === 'ProviderRefused')
    return statusCode === undefined || [400, 415, 422].includes(statusCode) || fileErrorPattern.test(message)
  return (name === 'ProviderError' || name === 'ProviderOverloaded') && fileErrorPattern.test(message)
}

const fileErrorPattern =
  /\b(images?|image_url|pdfs?|files?|documents?|attachments?|media|mime|audio|videos?|vision|visual|multi-?modal)\b/i

function withAdvice(error: NamedError): NamedError {
  const { name, message, status, data } = error
  const advice =
    'It is still too long after compaction. Start a new chat, or choose a model with a larger context window.'
  return new NamedError(name, `${message.replace(/[.\s]*$/, '.')} ${advice}`, { status, data, cause: error })
}

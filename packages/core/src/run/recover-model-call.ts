import { NamedError } from '@troupe/protocol'
import { readContextLimit } from '../model/provider-error.ts'
import { compactIfNeeded } from './compact.ts'
import type { Turn } from './turn.ts'

/**
 * Makes a model call, and where the provider refuses it for what can be mended, mends that and tries again: a
 * conversation that is too long is shortened, files that are not taken become words.
 */
export async function recoverModelCall<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
  /** The provider told how much it takes, and was heeded; without a number it takes some tries. */
  let triesLeft = 3
  for (;;) {
    try {
      const answer = await call()
      if (turn.plainFiles && turn.input.model.takes === undefined) turn.input.model.onLearned?.({ takes: [] })
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

/** Providers have many words for it, and some have none. */
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
    'It was shortened and is still too long. Start a new session, or choose a model with a larger context window.'
  return new NamedError(name, `${message.replace(/[.\s]*$/, '.')} ${advice}`, { status, data, cause: error })
}

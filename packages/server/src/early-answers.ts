import { NamedError, type Answer } from '@troupe/core'

/** Answers of pages that came before the ask of their call was there. They belong to one session and one client. */
export interface EarlyAnswers {
  /** The first of a client stands. Throws `AskClosed` (409), `AnswerTooLarge` (413), `TooManyAnswers` (429). */
  put(early: EarlyAnswer): void
  /** Takes out what a client said of a call. */
  take(of: Pick<EarlyAnswer, 'sessionId' | 'toolCallId'> & { client?: string }): Answer | undefined
}

export interface EarlyAnswer {
  sessionId: string
  toolCallId: string
  client: string
  answer: Answer
}

export const earlyAnswerTtlMs = 30_000
const maxAnswerLength = 1 << 18
const maxPerSession = 20
const maxEarlyAnswers = 200

export function createEarlyAnswers(clock: () => number = Date.now): EarlyAnswers {
  let kept: (EarlyAnswer & { until: number })[] = []

  return {
    put(early) {
      if (JSON.stringify(early.answer).length > maxAnswerLength)
        throw new NamedError('AnswerTooLarge', 'Nothing waits for this answer yet, and it is too large to be kept.', {
          status: 413,
          data: { largest: maxAnswerLength },
        })
      kept = kept.filter((other) => other.until > clock())
      if (kept.some((other) => isSame(other, early)))
        throw new NamedError('AskClosed', 'This page has told of that call before, and its first word stands.', {
          status: 409,
        })
      const ofSession = kept.filter(({ sessionId }) => sessionId === early.sessionId).length
      if (ofSession >= maxPerSession || kept.length >= maxEarlyAnswers)
        throw new NamedError('TooManyAnswers', 'Too many answers came that nothing waits for.', { status: 429 })
      kept.push({ ...early, until: clock() + earlyAnswerTtlMs })
    },
    take({ sessionId, toolCallId, client }) {
      const found = kept.find(
        (early) =>
          early.until > clock() &&
          early.sessionId === sessionId &&
          early.toolCallId === toolCallId &&
          mayAnswer({ ...(client !== undefined && { client }) }, early.client),
      )
      kept = kept.filter((early) => early !== found)
      return found?.answer
    },
  }
}

/**
 * Whether this page may answer a browser ask: its own may, any may where nobody owns it, and any may where the ask waits
 * for a person, who may sit elsewhere by now.
 */
export function mayAnswer(
  ask: { client?: string | undefined; content?: unknown },
  client: string | undefined,
): boolean {
  return ask.client === undefined || ask.client === client || isForPerson(ask.content)
}

function isForPerson(content: unknown): boolean {
  return (content as { byPerson?: unknown } | null | undefined)?.byPerson === true
}

function isSame(one: EarlyAnswer, other: EarlyAnswer): boolean {
  return one.sessionId === other.sessionId && one.toolCallId === other.toolCallId && one.client === other.client
}

import type { RunOutcome, RunRecord, Store } from '@troupe/core'
import { storeAnswer } from './journal.ts'

/** An answer that could not be stored, and the last number sent on its stream. */
interface LateAnswer {
  record: RunRecord
  outcome: RunOutcome
  number: number
}

/** Answers that could not be stored, because the disk was full for example. They are stored later. */
interface LateAnswers {
  add(answer: LateAnswer): void
  /** Last numbers of their streams. The next run of the session begins after them. */
  numbers(sessionId: string): number[]
  /** Throws if they still cannot be stored. */
  store(sessionId: string): Promise<void>
  /** By session. */
  all(): [sessionId: string, answers: readonly LateAnswer[]][]
}

export function createLateAnswers(store: Store): LateAnswers {
  const unstored = new Map<string, LateAnswer[]>()
  return {
    add(answer) {
      const { sessionId } = answer.record
      unstored.set(sessionId, [...(unstored.get(sessionId) ?? []), answer])
    },
    numbers: (sessionId) => (unstored.get(sessionId) ?? []).map(({ number }) => number),
    async store(sessionId) {
      for (const late of unstored.get(sessionId) ?? []) {
        await storeAnswer(store, late.record, late.outcome.message, late.outcome.status)
        const rest = (unstored.get(sessionId) ?? []).filter((other) => other !== late)
        if (rest.length > 0) unstored.set(sessionId, rest)
        else unstored.delete(sessionId)
      }
    },
    all: () => [...unstored],
  }
}

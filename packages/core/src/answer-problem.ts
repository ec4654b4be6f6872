import type { Answer, Ask } from './asks.ts'
import { questionsSchema } from './protocol/questions.ts'
import { readAnswers } from './protocol/read-answers.ts'

/** What is wrong with an answer to this very ask, beyond its type; for whoever takes answers in. */
export function answerProblem(ask: Pick<Ask, 'kind' | 'content'>, answer: Answer): string | undefined {
  if (ask.kind !== 'question' || answer.type !== 'answers') return undefined
  const { questions } = (ask.content ?? {}) as { questions?: unknown }
  const known = questionsSchema.safeParse(questions)
  if (!known.success) return undefined
  const read = readAnswers(known.data, answer.answers)
  return typeof read === 'string' ? read : undefined
}

import { type answerSchema, questionsSchema, readAnswers } from '@troupe/protocol'
import type { z } from 'zod'
import type { Decision } from '../access/decision.ts'

export type AskKind = 'approval' | 'question' | 'plan' | 'browser'
export type Answer = z.infer<typeof answerSchema>

/** A request that only a person or the open page can resolve. For approvals, the SDK's `approvalId` is this id. */
export interface Ask {
  id: string
  kind: AskKind
  sessionId: string
  runId: string
  agentPath: string[]
  /** The asking sub-agent. Absent for the session's main agent. */
  agentId?: string
  toolCallId: string
  toolName: string
  input: unknown
  title: string
  summary?: string
  content: unknown
  /** Reason for asking. `rule` is the deciding rule, if any. */
  reason: string
  rule: string | null
  /** Rules that would allow calls like this without asking. Only these can be remembered with the answer. */
  remember?: readonly string[]
  commands?: Decision['commands']
  /**
   * The page that started the run. It, or the page an ask of kind `browser` was sent to, answers it, unless the ask
   * waits for a person.
   */
  client?: string
  /** The tab to ask first. Not stored. */
  tab?: string
  /** Time limit for the answer. When it expires, the ask is closed and waiters get `AskTimeout`. */
  timeoutMs?: number
  createdAt: number
  closedAt: number | null
  answer: Answer | null
}

export interface Asks {
  /**
   * Several asks of a step can be open at once: while one waits, those of later calls are opened too. If false, a
   * person is asked one thing at a time.
   */
  together?: boolean
  /**
   * Registers the ask and waits. After a restart, registers it again under the same id. `onOpen` is called once others
   * can see the ask, but not if it already has its answer. Rejects with the signal's reason or with `AskTimeout`.
   */
  ask(ask: Ask, signal: AbortSignal, onOpen?: () => void): Promise<Answer>
}

/** Validates an answer against its ask, beyond its type. For receivers of answers. */
export function answerProblem(ask: Pick<Ask, 'kind' | 'content'>, answer: Answer): string | undefined {
  if (ask.kind !== 'question' || answer.type !== 'answers') return undefined
  const { questions } = (ask.content ?? {}) as { questions?: unknown }
  const known = questionsSchema.safeParse(questions)
  if (!known.success) return undefined
  const read = readAnswers(known.data, answer.answers)
  return typeof read === 'string' ? read : undefined
}

import { type answerSchema, questionsSchema, readAnswers } from '@troupe/protocol'
import type { z } from 'zod'
import type { Decision } from '../access/decision.ts'

export type AskKind = 'approval' | 'question' | 'plan' | 'browser'
export type Answer = z.infer<typeof answerSchema>

/** Something that only a person (or the open page) can move on. For approvals the SDK's `approvalId` is this id. */
export interface Ask {
  id: string
  kind: AskKind
  sessionId: string
  runId: string
  agentPath: string[]
  /** The sub-agent that asks; absent where it is the agent that the session talks to. */
  agentId?: string
  toolCallId: string
  toolName: string
  input: unknown
  title: string
  summary?: string
  content: unknown
  /** Why it is asked, and the rule that decided so, where one did. */
  reason: string
  rule: string | null
  /** Rules that would stop the asking for calls like this. Only these can be remembered with the answer. */
  remember?: readonly string[]
  /** The commands that were found in a shell call. */
  commands?: Decision['commands']
  /** The page that started the run. An ask of kind `browser` is answered by it, or whom it went to, unless it waits for a person. */
  client?: string
  /** The tab of it that is asked first. Not kept. */
  tab?: string
  /** How long the answer may take. Then the ask is closed, and `AskTimeout` thrown to whoever waits. */
  timeoutMs?: number
  createdAt: number
  closedAt: number | null
  answer: Answer | null
}

/** The inbox as a run sees it. */
export interface Asks {
  /**
   * Several asks of a step can be open together: when one waits, those of the calls after it are opened as well. Without
   * it a person is asked one thing after the other.
   */
  together?: boolean
  /**
   * Registers the ask (again after a restart: the same id) and waits. `onOpen` is called once others can see it, and
   * not at all when it has its answer already. Rejects with the signal's reason, and with `AskTimeout`.
   */
  ask(ask: Ask, signal: AbortSignal, onOpen?: () => void): Promise<Answer>
}

/** What is wrong with an answer to this very ask, beyond its type; for whoever takes answers in. */
export function answerProblem(ask: Pick<Ask, 'kind' | 'content'>, answer: Answer): string | undefined {
  if (ask.kind !== 'question' || answer.type !== 'answers') return undefined
  const { questions } = (ask.content ?? {}) as { questions?: unknown }
  const known = questionsSchema.safeParse(questions)
  if (!known.success) return undefined
  const read = readAnswers(known.data, answer.answers)
  return typeof read === 'string' ? read : undefined
}

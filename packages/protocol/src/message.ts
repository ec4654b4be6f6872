import type { UIMessage, UIMessageChunk } from 'ai'
import type { DataParts } from './data-parts.ts'

/** The agent that wrote an answer. `path` runs from the root agent to this one. */
export interface AgentMark {
  kind: 'master' | 'sub'
  name: string
  depth: number
  path: string[]
}

export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  reasoningTokens?: number
  cachedInputTokens?: number
  cacheWriteTokens?: number
}

export interface ErrorInfo {
  name: string
  message: string
  data?: Record<string, unknown>
}

export interface Metadata {
  agent?: AgentMark
  /** `provider/model` */
  model?: string
  /** The endpoint and account that answered. Data they encrypted or stored can be read nowhere else. */
  source?: string
  /** Usage of its own model calls, without sub-agents. */
  usage?: Usage
  /** Tokens of its latest model call that stay in the context, as the provider counted them. */
  contextTokens?: number
  /** Cost of its own model calls, by the price list of that day. */
  cost?: number
  /** Usage of its sub-agents at any depth; absent if there were none. `totalUsage` adds it up. */
  subAgents?: { tokens: number; cost?: number }
  elapsedMs?: number
  /** Duration of each reasoning part, named by `createReasoningNamer`. */
  reasoningMs?: Record<string, number>
  finishReason?: string
  /** The limit or decision that ended the turn, if any. */
  stopped?: { reason: 'steps' | 'tokens' | 'time' | 'repeat' | 'denied' | 'budget'; message: string }
  interrupted?: true
  aborted?: true
  /** Time from the user's stop until the whole run had stopped, in milliseconds. */
  stopMs?: number
  error?: ErrorInfo
  /** Id of the interrupted answer that this one continues. */
  continues?: string
  /** For user messages in team mode: the person who wrote it. */
  author?: Author
  /** For answers in team mode: the people who wrote its steering messages, by id of the message. */
  steeredBy?: Record<string, Author>
  /** For user messages: the URLs the user typed, sealed by the server for this message only. */
  typed?: { addresses: string[]; seal: string }
  /** For user messages that several models answer side by side. */
  comparison?: Comparison
  /** For answers: the user's rating. Stays on this machine and is never sent to a model. */
  feedback?: Feedback
  createdAt?: number
}

/** A person as the author of a message. The name is empty if their data was deleted. */
export interface Author {
  id: string
  name: string
}

export interface Feedback {
  rating: 'up' | 'down'
  reasons: FeedbackReason[]
  /** In the user's words. */
  text?: string
  /** Time of the last change. */
  at: number
}

export const feedbackReasons = {
  up: ['correct', 'clear', 'followed', 'other'],
  down: ['incorrect', 'incomplete', 'too-long', 'not-followed', 'bad-tool-use', 'other'],
} as const

export type FeedbackReason = (typeof feedbackReasons)['up' | 'down'][number]

/** The answers of several models to one message, in column order. */
export interface Comparison {
  answers: ComparedAnswer[]
  /** Id of the answer that the chat continues with. Absent until the user chose one. */
  picked?: string
}

export interface ComparedAnswer {
  messageId: string
  /** `provider/model` */
  model: string
}

/** Our additions to a tool part, stored in `toolMetadata.troupe`. */
export interface CallNotes {
  actionName?: string
  /** Text the model reads if it differs from the output. Computed once. */
  modelText?: string
  /** The input that ran, if a user or a hook changed the model's. */
  executedInput?: unknown
  /** The hook that changed it; absent if the user did. */
  rewrittenBy?: string
  /** The user accepted only some hunks of the change. `rejected` is the rest as a short diff. */
  partly?: { accepted: number; total: number; rejected: string; remark?: string }
  display?: { title?: string; summary?: string; content?: unknown }
  /** Content shown in the approval. Newer messages store it in the tool call's approval. */
  permission?: { title: string; summary?: string; content?: unknown }
  errorCode?: string
  elapsedMs?: number
}

export type Message = UIMessage<Metadata, DataParts>
export type Part = Message['parts'][number]
export type Chunk = UIMessageChunk<Metadata, DataParts>

/** A message as stored and as shown in `messages.jsonl`. */
export interface StoredMessage {
  id: string
  parentMessageId: string | null
  role: Message['role']
  parts: Part[]
  metadata?: Metadata
  createdAt: number
}

/**
 * Returns the step number of each part: 1-based, with 0 before the first step. A user message between two steps, with
 * the parts it adds, belongs to the later one, which answers it.
 */
export function stepNumbers(parts: readonly Part[]): number[] {
  const steps: number[] = []
  let begun = 0
  let said = false
  for (const part of parts) {
    if (part.type === 'step-start') {
      begun++
      said = false
    } else if (part.type === 'steering-message') said = true
    steps.push(said ? begun + 1 : begun)
  }
  return steps
}

/** Splits the parts after a step, which stays in `before`. */
export function splitAfterStep(parts: readonly Part[], step: number): { before: Part[]; after: Part[] } {
  const index = stepNumbers(parts).findIndex((one) => one > step)
  const end = index === -1 ? parts.length : index
  return { before: parts.slice(0, end), after: parts.slice(end) }
}

/** Returns the total usage of an answer, including sub-agents. Values are undefined if unknown. */
export function totalUsage({ usage, cost, subAgents }: Metadata): { tokens?: number; cost?: number } {
  return { tokens: sumDefined(usage?.totalTokens, subAgents?.tokens), cost: sumDefined(cost, subAgents?.cost) }
}

function sumDefined(own: number | undefined, others: number | undefined): number | undefined {
  return own === undefined || others === undefined ? (own ?? others) : own + others
}

/**
 * Names the reasoning parts of an answer for `Metadata.reasoningMs`, in order of arrival; the first step is 1.
 * Providers reuse part ids in every step, some even within one.
 */
export function createReasoningNamer(): (step: number, partId: string) => string {
  const times = new Map<string, number>()
  return (step, partId) => {
    const name = `${step}:${partId}`
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    return time === 1 ? name : `${name}:${time}`
  }
}

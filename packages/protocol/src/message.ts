import type { UIMessage, UIMessageChunk } from 'ai'
import type { DataParts } from './data-parts.ts'

/** Who wrote an answer: `path` runs from the root agent to this one. */
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

/** An error as it crosses a border: named, with the true text and typed data. */
export interface ErrorInfo {
  name: string
  message: string
  data?: Record<string, unknown>
}

export interface Metadata {
  agent?: AgentMark
  /** `provider/model` */
  model?: string
  /** Which address and account answered: what they sealed or keep can be read nowhere else. */
  source?: string
  /** Of its own model calls. */
  usage?: Usage
  /** What its own model calls cost, by the price list of the day. */
  cost?: number
  /** What its sub-agents took besides, at whatever depth; absent where none worked. `totalOf` adds it up. */
  subAgents?: { tokens: number; cost?: number }
  elapsedMs?: number
  /** How long each of its thoughts took; named by `nameThoughts`. */
  reasoningMs?: Record<string, number>
  finishReason?: string
  /** Which limit or decision ended the turn, where one did. */
  stopped?: { reason: 'steps' | 'tokens' | 'time' | 'repeat' | 'denied' | 'budget'; message: string }
  /** The process ended while this answer was being written. */
  interrupted?: true
  /** The person stopped it. */
  aborted?: true
  /** How long it took from the person's stop until nothing of the run was at work any more. */
  stopMs?: number
  error?: ErrorInfo
  /** The answer that was cut and that this one goes on from. */
  continues?: string
  /** Of a message of the person: the addresses that they typed, sealed by the server for this message alone. */
  typed?: { addresses: string[]; seal: string }
  createdAt?: number
}

/** What we add to a tool part beyond the AI SDK's fields; lies in `toolMetadata.troupe`. */
export interface CallNotes {
  /** The short phrase that the model gave the call. */
  actionName?: string
  /** What the model reads, computed once, where it differs from the output. */
  modelText?: string
  /** The input that ran, where a person or a hook changed the model's. */
  executedInput?: unknown
  /** The hook that changed it; absent when the person did. */
  rewrittenBy?: string
  display?: { title?: string; summary?: string; content?: unknown }
  /** What a person was shown when asked; newer messages have it in the call's approval. */
  permission?: { title: string; summary?: string; content?: unknown }
  /** What went wrong, where the tool has codes for it. */
  errorCode?: string
  elapsedMs?: number
}

export type Message = UIMessage<Metadata, DataParts>
export type Part = Message['parts'][number]
export type Chunk = UIMessageChunk<Metadata, DataParts>

/** A message as the store keeps it and as `messages.jsonl` shows it. */
export interface StoredMessage {
  id: string
  parentMessageId: string | null
  role: Message['role']
  parts: Part[]
  metadata?: Metadata
  createdAt: number
}

/**
 * Where a part of an answer lies: the number of its step, counted from 1; 0 is before the first. What a person said
 * between two steps, with what it brought in, belongs to the later one: it is what that step answers.
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

/** The parts up to a step, that included, and those after it. */
export function splitAfterStep(parts: readonly Part[], step: number): { before: Part[]; after: Part[] } {
  const index = stepNumbers(parts).findIndex((one) => one > step)
  const end = index === -1 ? parts.length : index
  return { before: parts.slice(0, end), after: parts.slice(end) }
}

/** Deep merge of plain objects, as the AI SDK merges message metadata: later wins, arrays are replaced. */
export function mergeMetadata(base: Metadata | undefined, next: unknown): Metadata | undefined {
  if (next === undefined || next === null) return base
  if (base === undefined) return next
  return merge(base as Record<string, unknown>, next as Record<string, unknown>)
}

function merge(base: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base }
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined || key === '__proto__' || key === 'constructor' || key === 'prototype') continue
    const old = merged[key]
    merged[key] = isPlainObject(old) && isPlainObject(value) ? merge(old, value) : value
  }
  return merged
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What an answer took in all, its sub-agents included. Undefined where nothing tells. */
export function totalUsage({ usage, cost, subAgents }: Metadata): { tokens?: number; cost?: number } {
  const tokens = sumDefined(usage?.totalTokens, subAgents?.tokens)
  const price = sumDefined(cost, subAgents?.cost)
  return { ...(tokens !== undefined && { tokens }), ...(price !== undefined && { cost: price }) }
}

function sumDefined(own: number | undefined, others: number | undefined): number | undefined {
  return own === undefined || others === undefined ? (own ?? others) : own + others
}

/**
 * Names the thoughts of an answer for `Metadata.reasoningMs`, in the order in which they come; the first step is 1.
 * Providers use the ids of their parts again in every step, and some of them within one.
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

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

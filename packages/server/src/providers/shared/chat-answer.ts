import {
  InvalidResponseDataError,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
  type SharedV4ProviderMetadata,
  type SharedV4Warning,
} from '@ai-sdk/provider'
import { getResponseMetadata, mapOpenAICompatibleFinishReason } from '@ai-sdk/openai-compatible/internal'
import { generateId, type ParseResult, StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import type { Chunk, Delta, ToolCallDelta } from './chat-completion-chunk.ts'

export interface StreamRules {
  validate(text: string): Promise<ParseResult<Chunk | { error: unknown }>>
  readError(cause: unknown): Promise<unknown>
  tooLong(): Error
}

export type PartController = Pick<ReadableStreamDefaultController<LanguageModelV4StreamPart>, 'enqueue' | 'close'>

/** Turns chunks into stream parts, in the SDK's order. Collects them in `parts`. */
export class ChatAnswer {
  readonly parts: LanguageModelV4StreamPart[]
  readonly #metadataKey: string
  readonly #convertUsage: (usage: Chunk['usage']) => LanguageModelV4Usage
  readonly #calls: StreamingToolCallTracker<ToolCallDelta>
  /** Calls by index whose name has not come yet. */
  readonly #unnamed = new Map<number, Required<NamedDelta>>()
  readonly #named = new Set<number>()
  #isIdentified = false
  #isRefused = false
  #isFailed = false
  #open: 'text' | 'reasoning' | undefined
  #finishReason: string | undefined
  #usage: Chunk['usage']

  constructor(
    warnings: SharedV4Warning[],
    metadataKey: string,
    convertUsage: (usage: Chunk['usage']) => LanguageModelV4Usage,
  ) {
    this.#metadataKey = metadataKey
    this.#convertUsage = convertUsage
    this.parts = [{ type: 'stream-start', warnings }]
    this.#calls = new StreamingToolCallTracker<ToolCallDelta>(
      { enqueue: (part) => void this.parts.push(part as LanguageModelV4StreamPart) },
      {
        generateId,
        extractMetadata(delta) {
          const thoughtSignature = delta.extra_content?.google?.thought_signature
          return thoughtSignature ? { [metadataKey]: { thoughtSignature } } : undefined
        },
        buildToolCallProviderMetadata: (metadata) => metadata,
      },
    )
  }

  addParsed(parsed: ParseResult<Chunk | { error: unknown }>): void {
    if (!parsed.success) this.#fail(parsed.error)
    else if ('error' in parsed.value) this.#fail(parsed.value.error)
    else this.add(parsed.value)
  }

  add(chunk: Chunk): void {
    if (!this.#isIdentified) this.#identify(chunk)
    if (chunk.usage != null) this.#usage = chunk.usage
    const choice = chunk.choices[0]
    if (choice?.finish_reason != null) this.#finishReason = choice.finish_reason
    const delta = choice?.delta
    if (delta == null) return
    this.#addReasoning(delta.reasoning_content ?? delta.reasoning)
    this.#addContent(delta.content)
    if (delta.refusal) {
      this.#isRefused = true
      this.#addText(delta.refusal)
    }
    if (delta.tool_calls == null || delta.tool_calls.length === 0) return
    if (this.#open === 'reasoning') this.#close()
    for (const call of delta.tool_calls) this.#addCall(call)
  }

  end(): void {
    this.#close()
    for (const [index, { id, args }] of this.#unnamed)
      this.#calls.processDelta({ index, id, function: { arguments: args } })
    this.#calls.flush()
    const raw = this.#finishReason
    if (raw === undefined && !this.#isFailed)
      this.#fail(
        new InvalidResponseDataError({
          data: undefined,
          message: 'Response stream ended without a finish reason.',
        }),
      )
    const unified = raw === undefined ? 'error' : mapOpenAICompatibleFinishReason(raw, { hasRefusal: this.#isRefused })
    const details = this.#usage?.completion_tokens_details
    const own: SharedV4ProviderMetadata[string] = {}
    if (details?.accepted_prediction_tokens != null)
      own['acceptedPredictionTokens'] = details.accepted_prediction_tokens
    if (details?.rejected_prediction_tokens != null)
      own['rejectedPredictionTokens'] = details.rejected_prediction_tokens
    this.parts.push({
      type: 'finish',
      finishReason: { unified, raw },
      usage: this.#convertUsage(this.#usage),
      providerMetadata: { [this.#metadataKey]: own },
    })
  }

  #identify(chunk: Chunk): void {
    const metadata = getResponseMetadata(chunk)
    if (!Object.values(metadata).some(Boolean)) return
    this.#isIdentified = true
    this.parts.push({ type: 'response-metadata', ...metadata })
  }

  #fail(error: unknown): void {
    this.#isFailed = true
    this.#finishReason = undefined
    this.parts.push({ type: 'error', error })
  }

  #addContent(content: Delta['content']): void {
    if (typeof content === 'string') return this.#addText(content)
    for (const part of content ?? []) {
      if (part.type === 'text' && typeof part['text'] === 'string') this.#addText(part['text'])
      else if (part.type === 'thinking' && Array.isArray(part['thinking']))
        this.#addReasoning(part['thinking'].map(textOf).join(''))
    }
  }

  #addText(delta: string): void {
    if (delta === '') return
    if (this.#open !== 'text') {
      this.#close()
      this.#open = 'text'
      this.parts.push({ type: 'text-start', id: textId })
    }
    this.parts.push({ type: 'text-delta', id: textId, delta })
  }

  #addReasoning(delta: string | null | undefined): void {
    if (!delta) return
    if (this.#open !== 'reasoning') {
      this.#close()
      this.#open = 'reasoning'
      this.parts.push({ type: 'reasoning-start', id: reasoningId })
    }
    this.parts.push({ type: 'reasoning-delta', id: reasoningId, delta })
  }

  #close(): void {
    if (this.#open === 'text') this.parts.push({ type: 'text-end', id: textId })
    else if (this.#open === 'reasoning') this.parts.push({ type: 'reasoning-end', id: reasoningId })
    this.#open = undefined
  }

  /** The SDK's tracker needs the name in a call's first delta. Some servers send it later. */
  #addCall(delta: ToolCallDelta): void {
    const { index } = delta
    if (index == null || this.#named.has(index)) return this.#calls.processDelta(delta)
    const before = this.#unnamed.get(index)
    const id = before?.id ?? delta.id ?? null
    const extra = before?.extra ?? delta.extra_content ?? null
    const args = (before?.args ?? '') + (delta.function?.arguments ?? '')
    const name = delta.function?.name
    if (name == null) {
      this.#unnamed.set(index, { id, extra, args })
      return
    }
    this.#calls.processDelta({ index, id, function: { name, arguments: args }, extra_content: extra ?? undefined })
    this.#unnamed.delete(index)
    this.#named.add(index)
  }
}

const textId = 'txt-0'

const reasoningId = 'reasoning-0'

function textOf(part: unknown): string {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : ''
}

interface NamedDelta {
  id: string | null
  args: string
  extra: ToolCallDelta['extra_content']
}

import { createFoldedCalls, type FoldedCalls, type PartRecord, withoutKeys } from './fold-calls.ts'
import type { Chunk, Message, Metadata, Part } from './message.ts'

/**
 * Folds a log into its message. Incremental and linear in chunks: a delta costs an append, and a partial tool input is
 * parsed only on demand. The result equals that of the AI SDK's `readUIMessageStream` for the same chunks, without its
 * undefined keys.
 *
 * Tolerant where the SDK throws, so that every log stays readable. A delta for a part that never started starts it. A
 * result for an unknown tool call is dropped.
 */
export interface Fold {
  push(chunk: Chunk): void
  /** Returns the current message. Parts unchanged since the last snapshot keep their identity. */
  snapshot(): Message
  readonly messageId: string
}

/** `start` is a message to continue from. It must have no open text, since texts do not store their id. */
export function createFold(start?: Pick<Message, 'id'> & Partial<Message>): Fold {
  return new MessageFold(start)
}

/** A class, because hundreds of answers may be open and prototype methods cost no memory per instance. */
class MessageFold implements Fold {
  messageId: string
  readonly #changed: Set<PartRecord>
  #metadata: Metadata | undefined
  readonly #parts: PartRecord[]
  readonly #shown: Part[] = []
  readonly #texts = new Map<string, OpenText>()
  // Most answers have no reasoning, data or tool calls, so these are allocated on demand.
  #reasonings: Map<string, OpenText> | undefined
  #data: Map<string, PartRecord> | undefined
  #calls: FoldedCalls | undefined

  constructor(start?: Pick<Message, 'id'> & Partial<Message>) {
    this.messageId = start?.id ?? ''
    this.#metadata = start?.metadata
    this.#parts = (start?.parts ?? []).map((part) => ({ ...part }))
    this.#changed = new Set(this.#parts)
    for (const part of this.#parts) this.#register(part)
  }

  push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
        this.#openText('text', chunk.id, chunk.providerMetadata)
        return
      case 'reasoning-start':
        this.#openText('reasoning', chunk.id, chunk.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta': {
        const kind = chunk.type === 'text-delta' ? 'text' : 'reasoning'
        const text =
          (kind === 'text' ? this.#texts : this.#reasonings)?.get(chunk.id) ?? this.#openText(kind, chunk.id, undefined)
        if (text.pieces.push(chunk.delta) === mostPieces) joinPieces(text)
        if (chunk.providerMetadata !== undefined) text.part['providerMetadata'] = chunk.providerMetadata
        this.#changed.add(text.part)
        return
      }
      case 'text-end':
      case 'reasoning-end': {
        const open = chunk.type === 'text-end' ? this.#texts : this.#reasonings
        const text = open?.get(chunk.id)
        if (text === undefined) return
        joinPieces(text)
        const { part } = text
        part['state'] = 'done'
        if (chunk.type === 'text-end' && chunk.citations !== undefined) part['citations'] = chunk.citations
        if (chunk.providerMetadata !== undefined) part['providerMetadata'] = chunk.providerMetadata
        open?.delete(chunk.id)
        this.#changed.add(part)
        return
      }
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-available':
      case 'tool-input-error':
      case 'tool-approval-request':
      case 'tool-approval-response':
      case 'tool-output-denied':
      case 'tool-output-available':
      case 'tool-output-error':
        this.#foldedCalls().push(chunk)
        return
      case 'steering-message':
        this.#add({ type: 'steering-message', id: chunk.id, parts: chunk.parts })
        return
      case 'start-step':
        this.#add({ type: 'step-start' })
        return
      case 'reset-step':
        this.#resetStep()
        return
      case 'start':
        if (chunk.messageId != null) this.messageId = chunk.messageId
        this.#metadata = mergeMetadata(this.#metadata, chunk.messageMetadata)
        return
      case 'finish':
      case 'message-metadata':
        this.#metadata = mergeMetadata(this.#metadata, chunk.messageMetadata)
        return
      case 'file':
      case 'reasoning-file':
      case 'source-url':
      case 'source-document':
      case 'custom':
        this.#add(defined(chunk))
        return
      case 'finish-step':
      case 'abort':
      case 'error':
        return
      default:
        if (chunk.type.startsWith('data-')) this.#pushData(chunk)
    }
  }

  #openText(type: 'text' | 'reasoning', partId: string, providerMetadata: unknown): OpenText {
    const part: PartRecord = { type, id: type === 'reasoning' ? partId : undefined, text: '', state: 'streaming' }
    if (providerMetadata !== undefined) part['providerMetadata'] = providerMetadata
    const open = type === 'text' ? this.#texts : (this.#reasonings ??= new Map<string, OpenText>())
    const before = open.get(partId)
    if (before !== undefined) joinPieces(before)
    const text: OpenText = { part: this.#add(part), pieces: [] }
    open.set(partId, text)
    return text
  }

  #pushData(chunk: Extract<Chunk, { type: `data-${string}` }>): void {
    if (chunk.transient === true) return
    const existing = chunk.id === undefined ? undefined : this.#data?.get(`${chunk.type}\n${chunk.id}`)
    if (existing === undefined) {
      this.#add(defined(chunk))
      return
    }
    existing['data'] = chunk.data
    this.#changed.add(existing)
  }

  /** A model call is being retried: drop the output of the earlier attempt. */
  #resetStep(): void {
    const from = this.#parts.findLastIndex((part) => part.type === 'step-start') + 1
    this.#calls?.showInputs()
    this.#joinTexts()
    for (const part of this.#parts.splice(from)) this.#changed.delete(part)
    this.#shown.length = Math.min(this.#shown.length, from)
    this.#calls?.forget()
    for (const map of [this.#texts, this.#reasonings, this.#data]) map?.clear()
    for (const part of this.#parts) this.#register(part)
  }

  #add(part: PartRecord): PartRecord {
    this.#parts.push(part)
    this.#changed.add(part)
    this.#register(part)
    return part
  }

  #foldedCalls(): FoldedCalls {
    return (this.#calls ??= createFoldedCalls({ add: (part) => this.#add(part), changed: this.#changed }))
  }

  #register(part: PartRecord): void {
    if ('toolCallId' in part) this.#foldedCalls().register(part)
    else this.#calls?.register(part)
    if (part.type.startsWith('data-') && typeof part['id'] === 'string')
      (this.#data ??= new Map<string, PartRecord>()).set(`${part.type}\n${part['id']}`, part)
  }

  #joinTexts(): void {
    for (const text of this.#texts.values()) joinPieces(text)
    for (const text of this.#reasonings?.values() ?? []) joinPieces(text)
  }

  snapshot(): Message {
    this.#calls?.showInputs()
    this.#joinTexts()
    for (let i = 0; i < this.#parts.length; i++) {
      const part = this.#parts[i] as PartRecord
      if (this.#shown[i] === undefined || this.#changed.has(part)) this.#shown[i] = { ...part } as unknown as Part
    }
    this.#changed.clear()
    return {
      id: this.messageId,
      role: 'assistant',
      metadata: this.#metadata,
      parts: this.#shown.slice(),
    }
  }
}

/** A streaming text. Concatenating small strings one by one would cost many times their length until it ends. */
interface OpenText {
  part: PartRecord
  pieces: string[]
}

const mostPieces = 32

function joinPieces({ part, pieces }: OpenText): void {
  if (pieces.length > 0) part['text'] = (part['text'] as string) + pieces.splice(0).join('')
}

export function foldChunks(chunks: Iterable<Chunk>): Message {
  const fold = createFold()
  for (const chunk of chunks) fold.push(chunk)
  return fold.snapshot()
}

function defined(chunk: object): PartRecord {
  return Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== undefined)) as PartRecord
}

interface CleanOptions {
  /**
   * A waiting run keeps its pending approvals and their tool calls. An ended run leaves no tool call without a result.
   */
  run: 'waiting' | 'ended'
  /** Result text for tool calls that have none when the run ended. */
  interruption?: string
}

export const interruptedText = 'Interrupted: the run ended before this tool call had a result.'

/** Prepares a message for storage: no streaming parts, no dangling tool calls, nothing the SDK's validation rejects. */
export function cleanMessage(message: Message, options: CleanOptions): Message {
  const parts: Part[] = []
  for (const part of message.parts) {
    const cleaned = cleanPart(part, options)
    if (cleaned !== undefined) parts.push(cleaned as unknown as Part)
  }
  return { ...message, parts }
}

function cleanPart(part: PartRecord, options: CleanOptions): PartRecord | undefined {
  if (part.type === 'text' || part.type === 'reasoning') {
    if (part['text'] === '' && part['providerMetadata'] === undefined) return undefined
    return part['state'] === 'streaming' ? { ...part, state: 'done' } : part
  }
  if (part.type.startsWith('data-')) return part['transient'] === true ? undefined : withValue(part, 'data', null)
  if (part['toolCallId'] === undefined) return part
  return cleanCall(part, options)
}

function cleanCall(part: PartRecord, options: CleanOptions): PartRecord | undefined {
  if (part['state'] === 'input-streaming') {
    const input = completeInput(part)
    if (input === undefined) return undefined
    return cleanCall({ ...withoutKeys(part, 'rawInput', 'inputEncoding'), state: 'input-available', input }, options)
  }
  const call = withInput(part)
  const { approved } = (call['approval'] ?? {}) as { approved?: boolean }
  if (approved === false || call['state'] === 'output-denied') return withDenial(call)
  const answered = approved === undefined ? withoutKeys(call, 'approval') : call
  const preliminary = call['state'] === 'output-available' && call['preliminary'] === true
  if (call['state'] === 'output-available' || call['state'] === 'output-error') {
    return preliminary && options.run === 'ended' ? withFailure(answered, options) : answered
  }
  if (options.run === 'ended') return withFailure(answered, options)
  if (call['state'] !== 'input-available' && call['approval'] !== undefined) return withoutKeys(call, ...resultKeys)
  return { ...withoutKeys(call, ...resultKeys, 'approval'), state: 'input-available' }
}

const resultKeys = ['output', 'errorText', 'preliminary', 'resultProviderMetadata']

/** Returns the input of a tool call whose end was never announced, if its JSON text is complete. */
function completeInput(part: PartRecord): unknown {
  const text = part['rawInput']
  if (typeof text !== 'string' || text === '') return undefined
  if (part['inputEncoding'] === 'text') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** After streaming, the raw text is kept only if no parsed input exists. */
function withInput(part: PartRecord): PartRecord {
  const call = withValue(withoutKeys(part, 'rawInput', 'inputEncoding'), 'input', part['rawInput'] ?? {})
  return call['state'] === 'output-available' ? withValue(call, 'output', null) : call
}

/** JSON drops undefined, but the SDK's validation requires a value. */
function withValue(part: PartRecord, key: string, value: unknown): PartRecord {
  return part[key] === undefined ? { ...part, [key]: value } : part
}

function withFailure(part: PartRecord, { interruption = interruptedText }: CleanOptions): PartRecord {
  return { ...withoutKeys(part, ...resultKeys), state: 'output-error', errorText: interruption }
}

function withDenial(part: PartRecord): PartRecord {
  const approval = { id: part['toolCallId'], ...(part['approval'] as object | undefined), approved: false }
  return { ...withoutKeys(part, ...resultKeys), state: 'output-denied', approval }
}

/** Start of the error text for a tool call that did not run because the edited input is invalid. */
export const editedText = 'The user edited the input'
/** Start of the error text for a tool call that did not run because the accepted part of it cannot be applied. */
export const partlyText = 'The user accepted only part of this change'

/** True if a person agreed but the call was denied anyway, so the reason is not theirs. */
export function isRefusedAnswer(reason: string): boolean {
  return reason.startsWith(editedText) || reason.startsWith(partlyText)
}

/** Error text of tool calls that a user's stop left without a result. The page recognizes a stop by this text. */
export const stoppedText = 'Stopped by the user before it finished.'

/** Deep-merges plain objects like the AI SDK merges message metadata: later wins, arrays are replaced. */
function mergeMetadata(base: Metadata | undefined, next: unknown): Metadata | undefined {
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

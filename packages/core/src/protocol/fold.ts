import type { Draft } from './draft.ts'
import { createFoldedCalls, type FoldedCalls } from './fold-calls.ts'
import { mergeMetadata } from './merge-metadata.ts'
import type { Chunk, Message, Metadata, Part } from './message.ts'

/**
 * The message is the fold of its log. Incremental and linear in chunks: a delta costs an append, a partial tool input
 * is parsed only when somebody looks. The result equals what the AI SDK's `readUIMessageStream` builds from the same
 * chunks, without its undefined keys.
 *
 * Tolerant where the SDK throws: a delta for a part that never started starts it, a result for an unknown call is
 * dropped, so that no log can become unreadable.
 */
export interface Fold {
  push(chunk: Chunk): void
  /** The message as it stands. Parts that did not change since the last look keep their identity. */
  snapshot(): Message
  readonly messageId: string
}

/** `start` is a message to go on from: one of which no text was open, since texts do not say which id they have. */
export function createFold(start?: Pick<Message, 'id'> & Partial<Message>): Fold {
  let metadata: Metadata | undefined = start?.metadata
  const parts: Draft[] = (start?.parts ?? []).map((part) => ({ ...part }))
  const shown: Part[] = []
  const changed = new Set<Draft>(parts)
  const texts = new Map<string, OpenText>()
  // Most answers have no reasoning, no data and no calls; a paused stream holds nothing for them.
  let reasonings: Map<string, OpenText> | undefined
  let data: Map<string, Draft> | undefined
  let calls: FoldedCalls | undefined
  for (const part of parts) register(part)

  const fold: Fold & { messageId: string } = { push, snapshot, messageId: start?.id ?? '' }
  return fold

  function push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
        openText('text', chunk.id, chunk.providerMetadata)
        return
      case 'reasoning-start':
        openText('reasoning', chunk.id, chunk.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta': {
        const kind = chunk.type === 'text-delta' ? 'text' : 'reasoning'
        const text = (kind === 'text' ? texts : reasonings)?.get(chunk.id) ?? openText(kind, chunk.id, undefined)
        if (text.pieces.push(chunk.delta) === mostPieces) joinPieces(text)
        if (chunk.providerMetadata !== undefined) text.part['providerMetadata'] = chunk.providerMetadata
        changed.add(text.part)
        return
      }
      case 'text-end':
      case 'reasoning-end': {
        const open = chunk.type === 'text-end' ? texts : reasonings
        const text = open?.get(chunk.id)
        if (text === undefined) return
        joinPieces(text)
        const { part } = text
        part['state'] = 'done'
        if (chunk.type === 'text-end' && chunk.citations !== undefined) part['citations'] = chunk.citations
        if (chunk.providerMetadata !== undefined) part['providerMetadata'] = chunk.providerMetadata
        open?.delete(chunk.id)
        changed.add(part)
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
        foldedCalls().push(chunk)
        return
      case 'steering-message':
        add({ type: 'steering-message', id: chunk.id, parts: chunk.parts })
        return
      case 'start-step':
        add({ type: 'step-start' })
        return
      case 'reset-step':
        resetStep()
        return
      case 'start':
        if (chunk.messageId != null) fold.messageId = chunk.messageId
        metadata = mergeMetadata(metadata, chunk.messageMetadata)
        return
      case 'finish':
      case 'message-metadata':
        metadata = mergeMetadata(metadata, chunk.messageMetadata)
        return
      case 'file':
      case 'reasoning-file':
      case 'source-url':
      case 'source-document':
      case 'custom':
        add(defined(chunk))
        return
      case 'finish-step':
      case 'abort':
      case 'error':
        return
      default:
        if (chunk.type.startsWith('data-')) pushData(chunk)
    }
  }

  function openText(type: 'text' | 'reasoning', partId: string, providerMetadata: unknown): OpenText {
    const part: Draft = { type, ...(type === 'reasoning' && { id: partId }), text: '', state: 'streaming' }
    if (providerMetadata !== undefined) part['providerMetadata'] = providerMetadata
    const open = type === 'text' ? texts : (reasonings ??= new Map<string, OpenText>())
    const before = open.get(partId)
    if (before !== undefined) joinPieces(before)
    const text: OpenText = { part: add(part), pieces: [] }
    open.set(partId, text)
    return text
  }

  function pushData(chunk: Extract<Chunk, { type: `data-${string}` }>): void {
    if (chunk.transient === true) return
    const existing = chunk.id === undefined ? undefined : data?.get(`${chunk.type}\n${chunk.id}`)
    if (existing === undefined) {
      add(defined(chunk))
      return
    }
    existing['data'] = chunk.data
    changed.add(existing)
  }

  /** A model call is being generated again: drop what the earlier attempt had shown. */
  function resetStep(): void {
    const from = parts.findLastIndex((part) => part.type === 'step-start') + 1
    calls?.showInputs()
    joinTexts()
    for (const part of parts.splice(from)) changed.delete(part)
    shown.length = Math.min(shown.length, from)
    calls?.forget()
    for (const map of [texts, reasonings, data]) map?.clear()
    for (const part of parts) register(part)
  }

  function add(part: Draft): Draft {
    parts.push(part)
    changed.add(part)
    register(part)
    return part
  }

  function foldedCalls(): FoldedCalls {
    return (calls ??= createFoldedCalls({ add, changed }))
  }

  function register(part: Draft): void {
    if ('toolCallId' in part) foldedCalls().register(part)
    else calls?.register(part)
    if (part.type.startsWith('data-') && typeof part['id'] === 'string')
      (data ??= new Map<string, Draft>()).set(`${part.type}\n${part['id']}`, part)
  }

  function joinTexts(): void {
    for (const text of texts.values()) joinPieces(text)
    for (const text of reasonings?.values() ?? []) joinPieces(text)
  }

  function snapshot(): Message {
    calls?.showInputs()
    joinTexts()
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as Draft
      if (shown[i] === undefined || changed.has(part)) shown[i] = { ...part } as unknown as Part
    }
    changed.clear()
    return { id: fold.messageId, role: 'assistant', ...(metadata !== undefined && { metadata }), parts: shown.slice() }
  }
}

/** A text that still streams. Small strings added up one by one would cost many times their length until it ends. */
interface OpenText {
  part: Draft
  /** What has come since it was last joined. */
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

function defined(chunk: object): Draft {
  return Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== undefined)) as Draft
}

import type { Chunk, Message, Metadata, Part } from './message.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { parsePartialJson } from './partial-json.ts'

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

// The union of all part types has no common writable shape; inside the fold a part is a plain record.
type Draft = Record<string, unknown> & { type: string }

/** The input of a call while it streams; `text` is undefined until the first delta. */
interface Input {
  part: Draft
  encoding: unknown
  text: string | undefined
}

export function createFold(start?: Pick<Message, 'id'> & Partial<Message>): Fold {
  let id = start?.id ?? ''
  let metadata: Metadata | undefined = start?.metadata
  const parts: Draft[] = (start?.parts ?? []).map((part) => ({ ...part }) as Draft)
  const shown: Part[] = []
  const changed = new Set<Draft>(parts)
  let texts = new Map<string, Draft>()
  let reasonings = new Map<string, Draft>()
  const inputs = new Map<string, Input>()
  /** The latest call of each id; a later step may use an id again, so `stepCalls` has those of the current one. */
  const calls = new Map<string, Draft>()
  const stepCalls = new Map<string, Draft>()
  const approvals = new Map<string, Draft>()
  const data = new Map<string, Draft>()
  for (const part of parts) register(part)

  return {
    push,
    snapshot,
    get messageId() {
      return id
    },
  }

  function push(chunk: Chunk): void {
    switch (chunk.type) {
      case 'text-start':
      case 'reasoning-start': {
        openText(chunk.type === 'text-start' ? 'text' : 'reasoning', chunk.id, chunk.providerMetadata)
        return
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const kind = chunk.type === 'text-delta' ? 'text' : 'reasoning'
        const part = (kind === 'text' ? texts : reasonings).get(chunk.id) ?? openText(kind, chunk.id, undefined)
        part['text'] = (part['text'] as string) + chunk.delta
        if (chunk.providerMetadata !== undefined) part['providerMetadata'] = chunk.providerMetadata
        changed.add(part)
        return
      }
      case 'text-end':
      case 'reasoning-end': {
        const open = chunk.type === 'text-end' ? texts : reasonings
        const part = open.get(chunk.id)
        if (part === undefined) return
        part['state'] = 'done'
        if (chunk.type === 'text-end' && chunk.citations !== undefined) part['citations'] = chunk.citations
        if (chunk.providerMetadata !== undefined) part['providerMetadata'] = chunk.providerMetadata
        open.delete(chunk.id)
        changed.add(part)
        return
      }
      case 'tool-input-start': {
        const part = call(chunk, 'input-streaming')
        if (chunk.inputEncoding !== undefined) part['inputEncoding'] = chunk.inputEncoding
        inputs.set(chunk.toolCallId, { part, encoding: chunk.inputEncoding, text: undefined })
        return
      }
      case 'tool-input-delta': {
        const input = inputs.get(chunk.toolCallId)
        if (input === undefined) return
        input.text = (input.text ?? '') + chunk.inputTextDelta
        changed.add(input.part)
        return
      }
      case 'tool-input-available': {
        const part = call(chunk, 'input-available')
        part['input'] = chunk.input
        inputs.delete(chunk.toolCallId)
        return
      }
      case 'tool-input-error': {
        const { title: _, ...named } = chunk
        const known = stepCalls.get(chunk.toolCallId)
        const dynamic = known === undefined ? chunk.dynamic === true : known.type === 'dynamic-tool'
        const part = call({ ...named, dynamic }, 'output-error')
        part['input'] = chunk.input
        part['errorText'] = chunk.errorText
        inputs.delete(chunk.toolCallId)
        return
      }
      case 'tool-approval-request': {
        const part = calls.get(chunk.toolCallId)
        if (part === undefined) return
        part['state'] = 'approval-requested'
        part['approval'] = {
          id: chunk.approvalId,
          ...(chunk.approvalDescriptor != null && { descriptor: chunk.approvalDescriptor }),
          ...(chunk.inputSchemaInput !== undefined && { inputSchemaInput: chunk.inputSchemaInput }),
          ...(chunk.reason != null && { requestReason: chunk.reason }),
          ...(chunk.isAutomatic === true && { isAutomatic: true }),
          ...(chunk.signature != null && { signature: chunk.signature }),
        }
        approvals.set(chunk.approvalId, part)
        changed.add(part)
        return
      }
      case 'tool-approval-response': {
        const part = approvals.get(chunk.approvalId)
        if (part === undefined || approvalId(part) !== chunk.approvalId) return
        part['state'] = 'approval-responded'
        part['approval'] = {
          ...(part['approval'] as object),
          approved: chunk.approved,
          ...(chunk.reason != null && { reason: chunk.reason }),
        }
        if (chunk.providerExecuted != null) part['providerExecuted'] = chunk.providerExecuted
        if (chunk.providerMetadata != null) part['callProviderMetadata'] = chunk.providerMetadata
        changed.add(part)
        return
      }
      case 'tool-output-denied': {
        const part = calls.get(chunk.toolCallId)
        if (part === undefined) return
        part['state'] = 'output-denied'
        changed.add(part)
        return
      }
      case 'tool-output-available':
      case 'tool-output-error': {
        const part = calls.get(chunk.toolCallId)
        if (part === undefined) return
        settle(part, chunk)
        return
      }
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
        if (chunk.messageId != null) id = chunk.messageId
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
        if (chunk.type.startsWith('data-'))
          pushData(chunk as { type: string; id?: string; data: unknown; transient?: boolean })
    }
  }

  function openText(type: 'text' | 'reasoning', partId: string, providerMetadata: unknown): Draft {
    const part: Draft = { type, ...(type === 'reasoning' && { id: partId }), text: '', state: 'streaming' }
    if (providerMetadata !== undefined) part['providerMetadata'] = providerMetadata
    ;(type === 'text' ? texts : reasonings).set(partId, part)
    return add(part)
  }

  /** Finds or makes the part of a call and moves it into an input state. */
  function call(
    chunk: {
      toolCallId: string
      toolName: string
      dynamic?: boolean
      title?: string
      providerExecuted?: boolean
      providerMetadata?: unknown
      toolMetadata?: unknown
    },
    state: string,
  ): Draft {
    const type = chunk.dynamic === true ? 'dynamic-tool' : `tool-${chunk.toolName}`
    let part = stepCalls.get(chunk.toolCallId)
    if (part === undefined) {
      part = add({
        type,
        ...(chunk.dynamic === true && { toolName: chunk.toolName }),
        toolCallId: chunk.toolCallId,
        state,
      })
    } else {
      part.type = type
      if (chunk.dynamic === true) part['toolName'] = chunk.toolName
      part['state'] = state
    }
    for (const key of ['rawInput', 'inputEncoding', 'output', 'errorText', 'preliminary', 'input']) delete part[key]
    if (chunk.title !== undefined) part['title'] = chunk.title
    if (chunk.toolMetadata !== undefined) part['toolMetadata'] = chunk.toolMetadata
    if (chunk.providerExecuted != null) part['providerExecuted'] = chunk.providerExecuted
    if (chunk.providerMetadata != null) {
      part[state === 'output-error' ? 'resultProviderMetadata' : 'callProviderMetadata'] = chunk.providerMetadata
    }
    changed.add(part)
    return part
  }

  function settle(part: Draft, chunk: Extract<Chunk, { type: 'tool-output-available' | 'tool-output-error' }>): void {
    const input = inputs.get(chunk.toolCallId)
    if (input !== undefined) showInput(input)
    inputs.delete(chunk.toolCallId)
    delete part['output']
    delete part['errorText']
    delete part['preliminary']
    delete part['inputEncoding']
    if (chunk.type === 'tool-output-available' || part.type === 'dynamic-tool') delete part['rawInput']
    if (chunk.type === 'tool-output-available') {
      part['state'] = 'output-available'
      part['output'] = chunk.output
      if (chunk.preliminary !== undefined) part['preliminary'] = chunk.preliminary
    } else {
      part['state'] = 'output-error'
      part['errorText'] = chunk.errorText
    }
    if (chunk.providerExecuted != null) part['providerExecuted'] = chunk.providerExecuted
    if (chunk.toolMetadata !== undefined) part['toolMetadata'] = chunk.toolMetadata
    if (chunk.providerMetadata != null) part['resultProviderMetadata'] = chunk.providerMetadata
    changed.add(part)
  }

  function pushData(chunk: { type: string; id?: string; data: unknown; transient?: boolean }): void {
    if (chunk.transient === true) return
    const key = chunk.id === undefined ? undefined : `${chunk.type}\n${chunk.id}`
    const existing = key === undefined ? undefined : data.get(key)
    if (existing !== undefined) {
      existing['data'] = chunk.data
      changed.add(existing)
      return
    }
    add(defined(chunk))
  }

  /** A model call is being generated again: drop what the earlier attempt had shown. */
  function resetStep(): void {
    const from = parts.findLastIndex((part) => part.type === 'step-start') + 1
    for (const part of parts.splice(from)) changed.delete(part)
    shown.length = Math.min(shown.length, from)
    texts = new Map()
    reasonings = new Map()
    for (const input of inputs.values()) showInput(input)
    for (const map of [inputs, calls, stepCalls, approvals, data]) map.clear()
    for (const part of parts) register(part)
  }

  function add(part: Draft): Draft {
    parts.push(part)
    changed.add(part)
    register(part)
    return part
  }

  function register(part: Draft): void {
    if (part.type === 'step-start') stepCalls.clear()
    if (typeof part['toolCallId'] === 'string') {
      calls.set(part['toolCallId'], part)
      stepCalls.set(part['toolCallId'], part)
      const asked = approvalId(part)
      if (asked !== undefined) approvals.set(asked, part)
      if (part['state'] === 'input-streaming') {
        const text = part['rawInput'] as string | undefined
        inputs.set(part['toolCallId'], { part, encoding: part['inputEncoding'], text })
      }
    }
    if (part.type.startsWith('data-') && typeof part['id'] === 'string') data.set(`${part.type}\n${part['id']}`, part)
  }

  function showInput({ part, encoding, text }: Input): void {
    if (text === undefined) return
    part['rawInput'] = text
    const value = encoding === 'text' ? text : parsePartialJson(text)
    if (value === undefined) delete part['input']
    else part['input'] = value
  }

  function snapshot(): Message {
    for (const input of inputs.values()) if (changed.has(input.part)) showInput(input)
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i] as Draft
      if (shown[i] === undefined || changed.has(part)) shown[i] = { ...part } as unknown as Part
    }
    changed.clear()
    return { id, role: 'assistant', ...(metadata !== undefined && { metadata }), parts: shown.slice() }
  }
}

export function foldChunks(chunks: Iterable<Chunk>): Message {
  const fold = createFold()
  for (const chunk of chunks) fold.push(chunk)
  return fold.snapshot()
}

function approvalId(part: Draft): string | undefined {
  return (part['approval'] as { id: string } | undefined)?.id
}

function defined(chunk: object): Draft {
  return Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== undefined)) as Draft
}

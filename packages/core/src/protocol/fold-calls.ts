import type { PartRecord } from './draft.ts'
import type { Chunk } from './message.ts'
import { parsePartialJson } from './partial-json.ts'

/** The calls of a message while it is folded. They live in the message's own list of parts. */
export interface FoldedCalls {
  push(chunk: CallChunk): void
  /** Takes note of a part that was put into the message. */
  register(part: PartRecord): void
  forget(): void
  /** Puts what has come of streamed inputs into their parts; until somebody looks, a delta costs an append. */
  showInputs(): void
}

export interface CallList {
  /** Puts a part at the end of the message, registers it and marks it as changed. */
  add: (part: PartRecord) => PartRecord
  changed: Set<PartRecord>
}

export type CallChunk = Extract<Chunk, { type: `tool-${string}` }>

/** The input of a call while it streams; `text` is undefined until the first delta. */
interface Input {
  part: PartRecord
  encoding: unknown
  text: string | undefined
}

export function createFoldedCalls({ add, changed }: CallList): FoldedCalls {
  /** The latest call of each id; a later step may use an id again, so `stepCalls` has those of the current one. */
  const calls = new Map<string, PartRecord>()
  const stepCalls = new Map<string, PartRecord>()
  const inputs = new Map<string, Input>()
  const approvals = new Map<string, PartRecord>()
  return { push, register, forget, showInputs }

  function push(chunk: CallChunk): void {
    const part = pushTo(chunk)
    if (part !== undefined) changed.add(part)
  }

  function pushTo(chunk: CallChunk): PartRecord | undefined {
    switch (chunk.type) {
      case 'tool-input-start': {
        const part = named(chunk, 'input-streaming')
        if (chunk.inputEncoding !== undefined) part['inputEncoding'] = chunk.inputEncoding
        inputs.set(chunk.toolCallId, { part, encoding: chunk.inputEncoding, text: undefined })
        return part
      }
      case 'tool-input-delta': {
        const input = inputs.get(chunk.toolCallId)
        if (input !== undefined) input.text = (input.text ?? '') + chunk.inputTextDelta
        return input?.part
      }
      case 'tool-input-available': {
        const part = named(chunk, 'input-available')
        part['input'] = chunk.input
        return part
      }
      case 'tool-input-error': {
        // The type of a call that has begun stays, whatever this chunk says; so does its title.
        const known = stepCalls.get(chunk.toolCallId)
        const dynamic = known === undefined ? chunk.dynamic === true : known.type === 'dynamic-tool'
        const part = named({ ...chunk, dynamic, title: undefined }, 'output-error')
        part['input'] = chunk.input
        part['errorText'] = chunk.errorText
        return part
      }
      case 'tool-approval-request': {
        const part = calls.get(chunk.toolCallId)
        if (part !== undefined) ask(part, chunk)
        return part
      }
      case 'tool-approval-response': {
        const part = approvals.get(chunk.approvalId)
        if (part === undefined || approvalId(part) !== chunk.approvalId) return undefined
        answer(part, chunk)
        return part
      }
      case 'tool-output-denied': {
        const part = calls.get(chunk.toolCallId)
        if (part !== undefined) part['state'] = 'output-denied'
        return part
      }
      case 'tool-output-available':
      case 'tool-output-error': {
        const part = calls.get(chunk.toolCallId)
        if (part !== undefined) settle(part, chunk)
        return part
      }
    }
  }

  /** Finds or makes the part of a call in this step and moves it into an input state. */
  function named(chunk: InputChunk, state: string): PartRecord {
    const dynamic = chunk.dynamic === true
    const type = dynamic ? 'dynamic-tool' : `tool-${chunk.toolName}`
    const known = stepCalls.get(chunk.toolCallId)
    const part = known ?? add({ type, toolCallId: chunk.toolCallId, state })
    if (known !== undefined) {
      part.type = type
      part['state'] = state
      drop(part, ['rawInput', 'inputEncoding', 'output', 'errorText', 'preliminary', 'input'])
    }
    if (dynamic) part['toolName'] = chunk.toolName
    inputs.delete(chunk.toolCallId)
    if (chunk.title !== undefined) part['title'] = chunk.title
    if (chunk.toolMetadata !== undefined) part['toolMetadata'] = chunk.toolMetadata
    if (chunk.providerExecuted != null) part['providerExecuted'] = chunk.providerExecuted
    if (chunk.providerMetadata != null) {
      part[state === 'output-error' ? 'resultProviderMetadata' : 'callProviderMetadata'] = chunk.providerMetadata
    }
    return part
  }

  function ask(part: PartRecord, chunk: CallChunkOf<'tool-approval-request'>): void {
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
  }

  function answer(part: PartRecord, chunk: CallChunkOf<'tool-approval-response'>): void {
    part['state'] = 'approval-responded'
    part['approval'] = {
      ...(part['approval'] as object),
      approved: chunk.approved,
      ...(chunk.reason != null && { reason: chunk.reason }),
    }
    if (chunk.providerExecuted != null) part['providerExecuted'] = chunk.providerExecuted
    if (chunk.providerMetadata != null) part['callProviderMetadata'] = chunk.providerMetadata
  }

  function settle(part: PartRecord, chunk: CallChunkOf<'tool-output-available' | 'tool-output-error'>): void {
    const input = inputs.get(chunk.toolCallId)
    if (input !== undefined) showInput(input)
    inputs.delete(chunk.toolCallId)
    drop(part, ['output', 'errorText', 'preliminary', 'inputEncoding'])
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
  }

  function register(part: PartRecord): void {
    if (part.type === 'step-start') stepCalls.clear()
    const id = part['toolCallId']
    if (typeof id !== 'string') return
    calls.set(id, part)
    stepCalls.set(id, part)
    const asked = approvalId(part)
    if (asked !== undefined) approvals.set(asked, part)
    if (part['state'] === 'input-streaming') {
      inputs.set(id, { part, encoding: part['inputEncoding'], text: part['rawInput'] as string | undefined })
    }
  }

  function forget(): void {
    for (const map of [calls, stepCalls, inputs, approvals]) map.clear()
  }

  function showInputs(): void {
    for (const input of inputs.values()) if (changed.has(input.part)) showInput(input)
  }
}

type CallChunkOf<Type extends CallChunk['type']> = Extract<CallChunk, { type: Type }>

type InputChunk = Pick<
  CallChunkOf<'tool-input-available'>,
  'toolCallId' | 'toolName' | 'dynamic' | 'providerExecuted' | 'providerMetadata' | 'toolMetadata'
> & { title?: string | undefined }

/** An object that something was deleted from is slow for good: only what is there is. */
function drop(part: PartRecord, keys: readonly string[]): void {
  for (const key of keys) if (key in part) delete part[key]
}

function showInput({ part, encoding, text }: Input): void {
  if (text === undefined) return
  part['rawInput'] = text
  const value = encoding === 'text' ? text : parsePartialJson(text)
  if (value === undefined) delete part['input']
  else part['input'] = value
}

function approvalId(part: PartRecord): string | undefined {
  return (part['approval'] as { id: string } | undefined)?.id
}

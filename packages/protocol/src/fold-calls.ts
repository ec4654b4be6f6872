import type { Chunk } from './message.ts'

/** The tool calls of a message during folding. They live in the message's own list of parts. */
export interface FoldedCalls {
  push(chunk: CallChunk): void
  register(part: PartRecord): void
  forget(): void
  /** Parses streamed inputs into their parts. Until this is called, a delta only costs an append. */
  showInputs(): void
}

interface CallList {
  add: (part: PartRecord) => PartRecord
  changed: Set<PartRecord>
}

type CallChunk = Extract<Chunk, { type: `tool-${string}` }>

/** Input of a tool call while it streams. `text` is undefined until the first delta. */
interface Input {
  part: PartRecord
  encoding: unknown
  text: string | undefined
}

export function createFoldedCalls({ add, changed }: CallList): FoldedCalls {
  /** The latest tool call per id. A later step may reuse an id, so `stepCalls` holds those of the current step. */
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
        // The type and title of a started tool call never change, whatever this chunk says.
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

  /** Finds or creates the part of a tool call in this step and moves it into an input state. */
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
      descriptor: chunk.approvalDescriptor ?? undefined,
      inputSchemaInput: chunk.inputSchemaInput,
      requestReason: chunk.reason ?? undefined,
      isAutomatic: chunk.isAutomatic || undefined,
      signature: chunk.signature ?? undefined,
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

/** Deleting a key makes an object slow permanently, so delete only existing keys. */
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

/** A part as a plain record. The union of part types has no common writable shape. */
export type PartRecord = Record<string, unknown> & { type: string }

/** Returns the part without these keys, or the same object if it has none of them. */
export function withoutKeys(part: PartRecord, ...keys: string[]): PartRecord {
  if (!keys.some((key) => key in part)) return part
  const copy = { ...part }
  for (const key of keys) delete copy[key]
  return copy
}

/**
 * Parses a JSON text that may end anywhere, to show a tool's input while it streams. Incomplete values are closed: a
 * string ends, a started word is completed, a number has the digits so far, a key without a value is dropped. Never use
 * the result to decide what to execute.
 *
 * Returns undefined if there is no value yet or the text is not JSON. Linear in the text length, at any depth.
 */
export function parsePartialJson(text: string): unknown {
  return parse(text) ?? parse(closeOpenJson(text))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the text up to its last complete value or opening bracket, with all open brackets closed. */
function closeOpenJson(text: string): string {
  const closers: string[] = []
  let sound = 0
  let keyComes = false
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const { end, closed } = scanString(text, at)
      if (!closed) return keyComes ? close(text.slice(0, sound)) : close(`${text.slice(0, end)}"`)
      at = end
      if (!keyComes) sound = at
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      keyComes = char === '{'
      sound = ++at
    } else if (char === '}' || char === ']') {
      closers.pop()
      sound = ++at
    } else if (char === ',' || char === ':') {
      keyComes = char === ',' && closers.at(-1) === '}'
      at++
    } else if (isSpace(char)) at++
    else {
      const end = endOfWord(text, at)
      if (end === text.length) return close(text.slice(0, sound) + completeLastWord(text, sound, at))
      sound = at = end
    }
  }
  return close(text.slice(0, sound))

  function close(head: string): string {
    return head + closers.reverse().join('')
  }
}

/** Finds the end of a string: after its closing quote, or before an incomplete escape. */
function scanString(text: string, start: number): { end: number; closed: boolean } {
  let at = start + 1
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') return { end: at + 1, closed: true }
    const length = char !== '\\' ? 1 : text.charAt(at + 1) === 'u' ? 6 : 2
    if (at + length > text.length) return { end: at, closed: false }
    at += length
  }
  return { end: at, closed: false }
}

function endOfWord(text: string, start: number): number {
  let at = start
  while (at < text.length && !isSpace(text.charAt(at)) && !'"{}[],:'.includes(text.charAt(at))) at++
  return at
}

/** Completes a trailing number or word as far as it is meaningful, and prepends the preceding text. */
function completeLastWord(text: string, sound: number, start: number): string {
  const word = text.slice(start)
  const whole = ['true', 'false', 'null'].find((known) => known.startsWith(word))
  const value = whole ?? /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(word)?.[0]
  return value === undefined ? '' : text.slice(sound, start) + value
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t'
}

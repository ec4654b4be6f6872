import { type PartRecord, withoutKeys } from './fold-calls.ts'
import type { Message, Part } from './message.ts'

interface CleanOptions {
  /** A waiting run keeps its open approvals and the calls behind them; an ended one leaves no call without a result. */
  run: 'waiting' | 'ended'
  /** What a call without a result is told when the run has ended. */
  interruption?: string
}

export const interruptedText = 'Interrupted: the run ended before this call had a result.'

/** What is stored of a message: nothing left streaming, no dangling call, nothing that the SDK's validation rejects. */
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

/** What only a call with a result has. */
const resultKeys = ['output', 'errorText', 'preliminary', 'resultProviderMetadata']

/** The input of a call whose end was never announced, if its JSON text happens to be whole. */
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

/** Once a call is past streaming its raw text is of use only where nothing better is known. */
function withInput(part: PartRecord): PartRecord {
  const call = withValue(withoutKeys(part, 'rawInput', 'inputEncoding'), 'input', part['rawInput'] ?? {})
  return call['state'] === 'output-available' ? withValue(call, 'output', null) : call
}

/** Nothing at all does not survive JSON, and the SDK's validation wants something. */
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

/** Begins the reason of a call that was not run because what a person made of its input cannot run. */
export const editedText = 'The person edited the input'

/** What a call is told that a person's stop has left without a result. The page knows it by this. */
export const stoppedText = 'Stopped by the person before it finished.'

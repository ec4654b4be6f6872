import { type PartRecord, withoutKeys } from './fold-calls.ts'
import type { Message, Part } from './message.ts'

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

/** Error text of tool calls that a user's stop left without a result. The page recognizes a stop by this text. */
export const stoppedText = 'Stopped by the user before it finished.'

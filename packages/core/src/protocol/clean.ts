import type { Message, Part } from './message.ts'

export interface CleanOptions {
  /** A waiting run keeps its open approvals and the calls behind them; an ended one leaves no call without a result. */
  run: 'waiting' | 'ended'
  /** What a call without a result is told when the run has ended. */
  interruption?: string
}

export const interrupted = 'Interrupted: the run ended before this call had a result.'

type Draft = Record<string, unknown> & { type: string }

/** What is stored of a message: nothing left streaming, no dangling call, nothing that the SDK's validation rejects. */
export function cleanMessage(message: Message, options: CleanOptions): Message {
  const parts: Part[] = []
  for (const part of message.parts) {
    const cleaned = cleanPart(part as unknown as Draft, options)
    if (cleaned !== undefined) parts.push(cleaned as unknown as Part)
  }
  return { ...message, parts }
}

function cleanPart(part: Draft, options: CleanOptions): Draft | undefined {
  if (part.type === 'text' || part.type === 'reasoning') {
    if (part['text'] === '' && part['providerMetadata'] === undefined) return undefined
    return part['state'] === 'streaming' ? { ...part, state: 'done' } : part
  }
  if (part.type.startsWith('data-')) return part['transient'] === true ? undefined : part
  if (part['toolCallId'] === undefined) return part
  return cleanCall(part, options)
}

function cleanCall(part: Draft, { run, interruption = interrupted }: CleanOptions): Draft | undefined {
  const approval = part['approval'] as { id: string; approved?: boolean } | undefined
  switch (part['state']) {
    case 'input-streaming': {
      const input = completeInput(part)
      if (input === undefined) return undefined
      return cleanCall({ ...without(part, 'rawInput', 'inputEncoding'), state: 'input-available', input }, { run, interruption })
    }
    case 'input-available':
      return run === 'waiting' ? without(part, 'approval') : failed(without(part, 'approval'), interruption)
    case 'approval-requested':
      return run === 'waiting' ? part : failed(without(part, 'approval'), interruption)
    case 'approval-responded':
      if (approval?.approved === false) return { ...part, state: 'output-denied' }
      return run === 'waiting' ? part : failed(part, interruption)
    case 'output-available':
      if (approval?.approved === false) return denied(part)
      if (part['preliminary'] !== true) return approval?.approved === undefined ? without(part, 'approval') : part
      return run === 'waiting' ? part : failed(without(part, 'preliminary', 'output'), interruption)
    case 'output-error':
      if (approval?.approved === false) return denied(part)
      return approval?.approved === undefined ? without(part, 'approval') : part
    case 'output-denied':
      return denied(part)
    default:
      return part
  }
}

/** The input of a call whose end was never announced, if its JSON text happens to be whole. */
function completeInput(part: Draft): unknown {
  const text = part['rawInput']
  if (typeof text !== 'string' || text === '') return undefined
  if (part['inputEncoding'] === 'text') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function failed(part: Draft, errorText: string): Draft {
  return { ...part, state: 'output-error', errorText }
}

function denied(part: Draft): Draft {
  const approval = { ...(part['approval'] as object | undefined), approved: false }
  if (!('id' in approval)) Object.assign(approval, { id: part['toolCallId'] })
  return { ...without(part, 'output', 'errorText', 'preliminary', 'resultProviderMetadata'), state: 'output-denied', approval }
}

function without(part: Draft, ...keys: string[]): Draft {
  if (!keys.some((key) => key in part)) return part
  const copy = { ...part }
  for (const key of keys) delete copy[key]
  return copy
}

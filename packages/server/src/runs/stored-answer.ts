import type { Store } from '@troupe/core'
import type { Chunk, Message, StoredMessage } from '@troupe/protocol'
import { eventsAfter } from './live-log.ts'
import type { LogEvent } from './subscriber.ts'

type ChunkFields = Record<string, unknown> & { type: string }

/** Returns chunks that fold to this message, for answers without a log, as in imported sessions. */
export function messageChunks(message: Pick<Message, 'id' | 'parts' | 'metadata'>): Chunk[] {
  const { id, parts, metadata } = message
  return [
    chunk({ type: 'start', messageId: id, messageMetadata: metadata }),
    ...parts.flatMap((part, i) => partChunks(part as unknown as ChunkFields, String(i))),
    chunk({ type: 'finish' }),
  ]
}

function partChunks(part: ChunkFields, place: string): Chunk[] {
  if (part.type === 'step-start') return [{ type: 'start-step' }]
  if (part.type === 'text' || part.type === 'reasoning') return textChunks(part, place)
  if (part['toolCallId'] === undefined) return [part as unknown as Chunk]
  return [...callChunks(part), ...approvalChunks(part), ...resultChunks(part)]
}

function textChunks(part: ChunkFields, place: string): Chunk[] {
  const { type, text, providerMetadata, citations } = part
  const id = typeof part['id'] === 'string' ? part['id'] : place
  return [
    chunk({ type: `${type}-start`, id }),
    ...(text === '' ? [] : [chunk({ type: `${type}-delta`, id, delta: text })]),
    chunk({ type: `${type}-end`, id, providerMetadata, citations }),
  ]
}

function callChunks(part: ChunkFields): Chunk[] {
  const { toolCallId, input, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  const dynamic = part.type === 'dynamic-tool' ? true : undefined
  const toolName = dynamic ? part['toolName'] : part.type.slice('tool-'.length)
  const shared = { toolCallId, toolName, input, dynamic, title, toolMetadata, providerExecuted }
  return [chunk({ type: 'tool-input-available', ...shared, providerMetadata: callProviderMetadata })]
}

function approvalChunks(part: ChunkFields): Chunk[] {
  const { toolCallId } = part
  const approval = part['approval'] as Record<string, unknown> | undefined
  if (approval === undefined) return []
  const {
    id: approvalId,
    approved,
    reason,
    descriptor,
    requestReason,
    isAutomatic,
    signature,
    inputSchemaInput,
  } = approval
  const asked = { approvalDescriptor: descriptor, reason: requestReason, isAutomatic, signature, inputSchemaInput }
  const request = chunk({ type: 'tool-approval-request', approvalId, toolCallId, ...asked })
  return approved === undefined
    ? [request]
    : [request, chunk({ type: 'tool-approval-response', approvalId, approved, reason })]
}

function resultChunks(part: ChunkFields): Chunk[] {
  const { toolCallId, output, errorText, preliminary, toolMetadata, providerExecuted, resultProviderMetadata } = part
  const shared = { toolCallId, toolMetadata, providerExecuted, providerMetadata: resultProviderMetadata }
  switch (part['state']) {
    case 'output-available':
      return [chunk({ type: 'tool-output-available', ...shared, output, preliminary })]
    case 'output-error':
      return [chunk({ type: 'tool-output-error', ...shared, errorText })]
    case 'output-denied':
      return [chunk({ type: 'tool-output-denied', toolCallId })]
    default:
      return []
  }
}

function chunk(fields: ChunkFields): Chunk {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as Chunk
}

/** Returns a finished answer's events from its run log, or from the message if the log is gone. */
export async function replayEvents(
  store: Store,
  sessionId: string,
  answer: StoredMessage,
): Promise<(LogEvent | { chunk: Chunk })[]> {
  const [run] = await store.runs.ofMessage(sessionId, answer.id)
  const frames = run === undefined ? [] : await store.frames.read(run.id)
  const events = frames.flatMap((frame) => eventsAfter(frame.items, frame.from, frame.from))
  if (events.some(({ chunk }) => chunk.type === 'finish')) return events
  return messageChunks(answer as Message).map((chunk) => ({ chunk }))
}

import type { Chunk, Message, Store, StoredMessage } from '@troupe/core'
import { eventsOf } from './live-log.ts'

/** The chunks of a finished answer: its run log, or, where that is gone (an imported session), the message itself. */
export async function replayChunks(store: Store, answer: { message: StoredMessage; runId: string | undefined }): Promise<Chunk[]> {
  const frames = answer.runId === undefined ? [] : await store.frames.read(answer.runId)
  const chunks = frames.flatMap((frame) => eventsOf(frame.items, frame.from, frame.from)).map((event) => event.chunk)
  return chunks.some((chunk) => chunk.type === 'finish') ? chunks : messageChunks(answer.message as Message)
}

function messageChunks(message: Message): Chunk[] {
  const chunks: Chunk[] = [{ type: 'start', messageId: message.id, ...(message.metadata !== undefined && { messageMetadata: message.metadata }) }]
  message.parts.forEach((part, i) => chunks.push(...partChunks(part as never, String(i))))
  return [...chunks, { type: 'finish' }]
}

function partChunks(part: Record<string, unknown> & { type: string }, id: string): Chunk[] {
  if (part.type === 'step-start') return [{ type: 'start-step' }]
  if (part.type === 'text' || part.type === 'reasoning') {
    return [{ type: `${part.type}-start`, id }, { type: `${part.type}-delta`, id, delta: String(part['text']) }, { type: `${part.type}-end`, id }]
  }
  if (part['toolCallId'] === undefined) return [part as unknown as Chunk]
  const toolCallId = String(part['toolCallId'])
  const dynamic = part.type === 'dynamic-tool'
  const toolName = dynamic ? String(part['toolName']) : part.type.slice('tool-'.length)
  const begin: Chunk = { type: 'tool-input-available', toolCallId, toolName, input: part['input'], ...(dynamic && { dynamic }) }
  const notes = part['toolMetadata'] === undefined ? {} : { toolMetadata: part['toolMetadata'] as never }
  if (part['state'] === 'output-available') return [begin, { type: 'tool-output-available', toolCallId, output: part['output'], ...notes }]
  if (part['state'] === 'output-error') return [begin, { type: 'tool-output-error', toolCallId, errorText: String(part['errorText']), ...notes }]
  const approval = part['approval'] as { id: string; reason?: string } | undefined
  if (part['state'] !== 'output-denied' || approval === undefined) return [begin]
  return [
    begin,
    { type: 'tool-approval-request', approvalId: approval.id, toolCallId },
    { type: 'tool-approval-response', approvalId: approval.id, approved: false, ...(approval.reason !== undefined && { reason: approval.reason }) },
    { type: 'tool-output-denied', toolCallId },
  ]
}

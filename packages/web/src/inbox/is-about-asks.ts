import type { Chunk } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'

/** Whether a chunk says that something waits for a person, or no longer does; also one that a sub-agent sent. */
export function affectsAsks(chunk: Chunk): boolean {
  if (chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response') return true
  if (chunk.type === 'data-ask' || chunk.type === 'data-ask-answer') return true
  return partData(chunk, 'sub-agent-chunk')?.chunks.some((inner) => affectsAsks(inner as Chunk)) === true
}

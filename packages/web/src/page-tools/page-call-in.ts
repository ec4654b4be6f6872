import type { Chunk } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'

/** The call that asks a page for something with this chunk, if it does; also one that a sub-agent made. */
export function readPageCall(chunk: Chunk): { toolCallId: string } | undefined {
  const ask = partData(chunk, 'ask')
  if (ask?.kind === 'browser') return { toolCallId: ask.toolCallId }
  for (const inner of partData(chunk, 'sub-agent-chunk')?.chunks ?? []) {
    const found = readPageCall(inner as Chunk)
    if (found !== undefined) return found
  }
  return undefined
}

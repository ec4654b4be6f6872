import type { Chunk } from '@troupe/core/protocol'
import { dataOf } from '../chat/data-of.ts'

/** The call that asks a page for something with this chunk, if it does; also one that a sub-agent made. */
export function pageCallIn(chunk: Chunk): { toolCallId: string } | undefined {
  const ask = dataOf(chunk, 'ask')
  if (ask?.kind === 'browser') return { toolCallId: ask.toolCallId }
  for (const inner of dataOf(chunk, 'sub-agent-chunk')?.chunks ?? []) {
    const found = pageCallIn(inner as Chunk)
    if (found !== undefined) return found
  }
  return undefined
}

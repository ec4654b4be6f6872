import { createReasoningNamer } from '@troupe/core/protocol'
import type { Part, StoredMessage } from '@troupe/core/protocol'

/** How long each thought of an answer took, as far as that was stored. */
export function reasoningTimes({ parts, metadata }: Pick<StoredMessage, 'parts' | 'metadata'>): Map<Part, number> {
  const times = new Map<Part, number>()
  const stored = metadata?.reasoningMs
  if (stored === undefined) return times
  const name = createReasoningNamer()
  let step = 0
  for (const part of parts) {
    if (part.type === 'step-start') step++
    if (part.type !== 'reasoning') continue
    const time = stored[name(step, (part as { id?: string }).id ?? '')]
    if (time !== undefined) times.set(part, time)
  }
  return times
}

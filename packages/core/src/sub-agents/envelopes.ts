import { joinDeltas } from '../protocol/number.ts'
import type { Chunk } from '../protocol/message.ts'

/** Chunks of sub-agents on their way to the root stream: several in one envelope, neighbouring deltas joined. */
export interface Envelopes {
  add(agentId: string, chunk: Chunk): void
  /** Sends what one agent has waiting. */
  flush(agentId: string): void
}

const flushIntervalMs = 25

export function createEnvelopes(emit: (chunk: Chunk) => void): Envelopes {
  const waiting = new Map<string, Chunk[]>()
  let timer: NodeJS.Timeout | undefined
  let lastFlush = 0

  return {
    add(agentId, chunk) {
      const chunks = waiting.get(agentId)
      if (chunks === undefined) waiting.set(agentId, [chunk])
      else {
        const joined = joinDeltas(chunks.at(-1) as Chunk, chunk) as Chunk | undefined
        if (joined === undefined) chunks.push(chunk)
        else chunks[chunks.length - 1] = joined
      }
      // At once after a pause, else with the next beat.
      timer ??= setTimeout(flushAll, Math.max(0, lastFlush + flushIntervalMs - performance.now()))
    },
    flush,
  }

  function flushAll(): void {
    timer = undefined
    lastFlush = performance.now()
    for (const agentId of waiting.keys()) flush(agentId)
  }

  function flush(agentId: string): void {
    const chunks = waiting.get(agentId)
    if (chunks === undefined) return
    waiting.delete(agentId)
    emit({ type: 'data-sub-agent-chunk', data: { agentId, chunks }, transient: true })
  }
}

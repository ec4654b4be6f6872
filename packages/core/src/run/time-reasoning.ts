import type { Chunk } from '../protocol/message.ts'
import { createReasoningNamer } from '../protocol/name-thoughts.ts'

/**
 * Tells of each thought of a step how long it took. The time goes before the end, so that whoever sees the end knows it;
 * it is metadata of the message, which no provider is sent.
 */
export function timeReasoning(step: number, emit: (chunk: Chunk) => void): (chunk: Chunk) => void {
  let name: ReturnType<typeof createReasoningNamer> | undefined
  let open: Map<string, { name: string; begun: number }> | undefined
  return (chunk) => {
    if (chunk.type === 'reset-step') {
      name = undefined
      open = undefined
    }
    if (chunk.type === 'reasoning-start') {
      name ??= createReasoningNamer()
      open ??= new Map()
      open.set(chunk.id, { name: name(step, chunk.id), begun: performance.now() })
    } else if (chunk.type === 'reasoning-end') {
      const thought = open?.get(chunk.id)
      open?.delete(chunk.id)
      if (thought !== undefined) {
        const reasoningMs = { [thought.name]: Math.round(performance.now() - thought.begun) }
        emit({ type: 'message-metadata', messageMetadata: { reasoningMs } })
      }
    }
    emit(chunk)
  }
}

import type { Chunk } from '@troupe/core/protocol'

/** A chunk as it came, for whoever looks at the stream itself. */
export interface TappedChunk {
  /** Its number in the log of the session; chunks that are not kept have none. */
  number: number | undefined
  chunk: Chunk
  at: number
}

/** The last chunks of a stream. Taking one costs an assignment: nobody is told, whoever wants to know looks. */
export interface StreamTap {
  take: (chunk: Chunk, number: number | undefined, at: number) => void
  /** Oldest first. */
  read: () => TappedChunk[]
  /** How many have come altogether: has it changed, there is something new. */
  count: () => number
}

export function createStreamTap(most = 400): StreamTap {
  const ring: TappedChunk[] = []
  let count = 0
  return {
    take(chunk, number, at) {
      ring[count % most] = { number, chunk, at }
      count++
    },
    read: () => (count <= most ? [...ring] : [...ring.slice(count % most), ...ring.slice(0, count % most)]),
    count: () => count,
  }
}

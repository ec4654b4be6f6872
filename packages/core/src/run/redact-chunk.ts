import type { Chunk } from '../protocol/message.ts'

/** What tools bring back may hold secrets that they were never meant to see; neither history nor model gets them. */
export function redactChunk(chunk: Chunk, redact: ((text: string) => string) | undefined): Chunk {
  if (redact === undefined || !(chunk.type.startsWith('tool-output') || chunk.type.startsWith('data-'))) return chunk
  const text = JSON.stringify(chunk)
  const clean = redact(text)
  return clean === text ? chunk : (JSON.parse(clean) as Chunk)
}

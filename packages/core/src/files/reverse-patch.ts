import { Buffer } from 'node:buffer'
import type { ReplacedPart } from './undo-journal.ts'

/** A way back from a new content to the old one: a line that says where, then the old bytes. */
export function packReverse(parts: readonly ReplacedPart[]): Buffer {
  const head = JSON.stringify(parts.map(({ start, length, bytes }) => [start, length, bytes.length]))
  return Buffer.concat([Buffer.from(`${head}\n`), ...parts.map(({ bytes }) => bytes)])
}

/** The old content. The caller checks its hash: a way back from another content leads nowhere. */
export function applyReverse(now: Buffer, packed: Buffer): Buffer {
  const end = packed.indexOf(10)
  const places = JSON.parse(packed.toString('utf8', 0, end)) as [start: number, length: number, oldLength: number][]
  const pieces: Buffer[] = []
  let [at, from] = [0, end + 1]
  for (const [start, length, oldLength] of places) {
    pieces.push(now.subarray(at, start), packed.subarray(from, from + oldLength))
    at = start + length
    from += oldLength
  }
  return Buffer.concat([...pieces, now.subarray(at)])
}

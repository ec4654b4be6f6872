import { Buffer } from 'node:buffer'
import { countNewlines } from './count-newlines.ts'

export interface LineRange {
  /** The number of the first line, counted from 1. */
  offset: number
  limit: number
  /** At most this many bytes of text, but always one line. */
  maxBytes: number
  /** Bytes of a line that are kept; the rest is counted. */
  maxLineBytes: number
}

export interface CollectedLine {
  /** Without its line ending. */
  bytes: Buffer
  /** Bytes of the whole line, where more than are kept. */
  length: number
}

export interface CollectedLines {
  lines: CollectedLine[]
  /** Lines seen from the start of the file to the end of the last one collected. */
  seen: number
  /** There is something after the last line collected. */
  more: boolean
  /** Which line endings were met in what was collected. */
  endings: { lf: boolean; crlf: boolean }
}

export interface LineCollector {
  /** Takes the next bytes of the file; true when nothing more is needed. What is kept of them is copied unless `isLasting`. */
  push(chunk: Buffer, isLasting?: boolean): boolean
  end(): CollectedLines
}

const newline = 10
const carriageReturn = 13

/**
 * Picks a range of lines out of a file that passes by as bytes: lines before the range are only counted, and of each
 * line no more is kept than will be shown, so memory is flat however long the file or its lines are.
 */
export function createLineCollector({ offset, limit, maxBytes, maxLineBytes }: LineRange): LineCollector {
  let toSkip = offset - 1
  let skipped = 0
  /** What was skipped last is a line that has not ended yet. */
  let isWithinLine = false
  const lines: CollectedLine[] = []
  let total = 0
  let open: { parts: Buffer[]; kept: number; length: number; last: number } | undefined
  let more = false
  const endings = { lf: false, crlf: false }

  function push(chunk: Buffer, isLasting = false): boolean {
    if (chunk.length === 0) return false
    let at = 0
    if (toSkip > 0) {
      at = skip(chunk)
      if (at === chunk.length) return false
    }
    while (at < chunk.length) {
      if (isFull()) {
        more = true
        return true
      }
      const end = chunk.indexOf(newline, at)
      keep(chunk.subarray(at, end === -1 ? chunk.length : end), isLasting)
      if (end === -1) return false
      close(true)
      at = end + 1
    }
    return false
  }

  /** Counts lines and nothing else; returns where the range begins, or the end of the chunk. */
  function skip(chunk: Buffer): number {
    const count = countNewlines(chunk)
    if (count < toSkip) {
      toSkip -= count
      skipped += count
      isWithinLine = chunk[chunk.length - 1] !== newline
      return chunk.length
    }
    let at = 0
    for (; toSkip > 0; toSkip--, skipped++) at = chunk.indexOf(newline, at) + 1
    isWithinLine = false
    return at
  }

  function keep(piece: Buffer, isLasting: boolean): void {
    open ??= { parts: [], kept: 0, length: 0, last: -1 }
    if (piece.length === 0) return
    const shown = piece.subarray(0, maxLineBytes - open.kept)
    if (shown.length > 0) open.parts.push(isLasting ? shown : Buffer.from(shown))
    open.kept += shown.length
    open.length += piece.length
    open.last = piece[piece.length - 1] as number
  }

  function close(hasEnding: boolean): void {
    const { parts, length, last } = open ?? { parts: [], length: 0, last: -1 }
    open = undefined
    const isCrlf = hasEnding && last === carriageReturn
    if (hasEnding) endings[isCrlf ? 'crlf' : 'lf'] = true
    let bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (isCrlf && bytes.length === length) bytes = bytes.subarray(0, -1)
    lines.push({ bytes, length: isCrlf ? length - 1 : length })
    total += bytes.length + 1
  }

  function isFull(): boolean {
    // An open line is finished first: it was taken while there was room.
    return open === undefined && (lines.length >= limit || (lines.length > 0 && total >= maxBytes))
  }

  return {
    push,
    end() {
      if (open !== undefined) close(false)
      return { lines, seen: skipped + (isWithinLine ? 1 : 0) + lines.length, more, endings }
    },
  }
}

import { Buffer } from 'node:buffer'
import { read } from 'node:fs'
import { promisify, TextDecoder } from 'node:util'
import { decodeText, detectFormat, type TextFormat, utf8Format } from '../text/encoding.ts'
import { countNewlines } from '../text/scan-bytes.ts'

export interface TextRange {
  /** Without line endings. Very long lines are truncated. */
  lines: string[]
  /** Truncated lines by number, with their full length in bytes. */
  cut: Map<number, number>
  /** Lines from the start of the file to the end of the range, or in the whole file if `more` is false. */
  seen: number
  more: boolean
  format: TextFormat
  endings: { lf: boolean; crlf: boolean }
}

export const defaultLines = 2000
export const maxTextBytes = 50 * 1024
const maxLineCharacters = 2000

const chunkBytes = 2 ** 18

export function readRangeOfBytes(bytes: Buffer, offset: number, limit: number): TextRange {
  const format = detectFormat(bytes)
  const all = decodeText(bytes, format).split('\n')
  const endsWithNewline = all.at(-1) === ''
  if (endsWithNewline) all.pop()
  const range: TextRange = {
    lines: [],
    cut: new Map(),
    seen: 0,
    more: false,
    format,
    endings: { lf: false, crlf: false },
  }
  let total = 0
  let index = offset - 1
  for (; index < all.length && range.lines.length < limit && total < maxTextBytes; index++) {
    let line = all[index] as string
    if (index < all.length - 1 || endsWithNewline) {
      const isCrlf = line.endsWith('\r')
      range.endings[isCrlf ? 'crlf' : 'lf'] = true
      if (isCrlf) line = line.slice(0, -1)
    }
    addLine(range, index + 1, line, line.length > maxLineCharacters ? Buffer.byteLength(line) : 0)
    total += bytes.length <= maxTextBytes ? 0 : Buffer.byteLength(range.lines.at(-1) ?? '') + 1
  }
  range.more = index < all.length
  range.seen = Math.min(index, all.length)
  return range
}

/**
 * Reads a line range from an open file of any size and holds only the range in memory. `head` is its first bytes. Reads
 * at most to the size at open, so a growing file cannot block the reader.
 */
export async function readRangeOfFile(
  { fd, size, head }: { fd: number; size: number; head: Buffer },
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<TextRange> {
  const collector = createLineCollector(lineRange(offset, limit))
  let format = detectFormat(head, { isWhole: false })
  const transcode = format.encoding.startsWith('utf-16') ? new TextDecoder(format.encoding) : undefined
  const push = (chunk: Buffer, isLasting = false): boolean =>
    transcode === undefined
      ? collector.push(chunk, isLasting)
      : collector.push(Buffer.from(transcode.decode(chunk, { stream: true })), true)
  const isDone = push(format.bom && transcode === undefined ? head.subarray(3) : head, true)
  if (!isDone) await readChunks(fd, head.length, size, push, signal)
  const { lines, seen, more, endings } = collector.end()
  // If the first bytes did not reveal the format, detect it from the lines.
  if (format === utf8Format) format = detectFormat(Buffer.concat(lines.map((line) => line.bytes)))
  const lineFormat = transcode === undefined ? { ...format, bom: false } : utf8Format
  const range: TextRange = { lines: [], cut: new Map(), seen, more, format, endings }
  lines.forEach(({ bytes, length }, index) => {
    const isLong = length > bytes.length || length > maxLineCharacters
    addLine(range, offset + index, decodeText(bytes, lineFormat), isLong ? length : 0)
  })
  return range
}

/** `length`: the line's bytes, if it may need truncation. */
function addLine(range: TextRange, number: number, line: string, length: number): void {
  if (line.length <= maxLineCharacters && length === 0) {
    range.lines.push(line)
    return
  }
  const end = (line.codePointAt(maxLineCharacters - 1) ?? 0) > 0xffff ? maxLineCharacters - 1 : maxLineCharacters
  if (line.length <= end) {
    range.lines.push(line)
    return
  }
  range.lines.push(line.slice(0, end))
  range.cut.set(number, length)
}

function lineRange(offset: number, limit: number): LineRange {
  // A character has at most four bytes. One extra character shows that there is more.
  return { offset, limit, maxBytes: maxTextBytes, maxLineBytes: (maxLineCharacters + 1) * 4 }
}

const readInto = promisify(read)

/**
 * Passes the bytes of an open file to a callback until it returns true. Reads ahead into a second buffer, so a chunk is
 * valid only during its callback.
 */
async function readChunks(
  fd: number,
  from: number,
  size: number,
  push: (chunk: Buffer) => boolean,
  signal: AbortSignal,
): Promise<void> {
  let position = from
  let [current, spare] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  const start = (): Promise<{ bytesRead: number }> | undefined =>
    position < size ? readInto(fd, spare, 0, Math.min(chunkBytes, size - position), position) : undefined
  let reading = start()
  try {
    while (reading !== undefined) {
      const { bytesRead } = await reading
      signal.throwIfAborted()
      if (bytesRead === 0) return
      position += bytesRead
      ;[current, spare] = [spare, current]
      reading = start()
      if (push(current.subarray(0, bytesRead))) return
    }
  } finally {
    // The caller closes the file, which must not happen during a read.
    await reading?.catch(() => undefined)
  }
}

interface LineRange {
  /** 1-based number of the first line. */
  offset: number
  limit: number
  /** Maximum bytes of text, but always at least one line. */
  maxBytes: number
  /** Bytes kept per line. The rest is only counted. */
  maxLineBytes: number
}

interface CollectedLine {
  /** Without the line ending. */
  bytes: Buffer
  /** Bytes of the whole line, if longer than the kept part. */
  length: number
}

interface CollectedLines {
  lines: CollectedLine[]
  /** Lines from the start of the file to the last one collected. */
  seen: number
  more: boolean
  endings: { lf: boolean; crlf: boolean }
}

interface LineCollector {
  /** Adds the next bytes. Returns true when nothing more is needed. Copies the bytes it keeps unless `isLasting`. */
  push(chunk: Buffer, isLasting?: boolean): boolean
  end(): CollectedLines
}

const newline = 10
const carriageReturn = 13

/**
 * Extracts a line range from a byte stream. Only counts lines before the range, and keeps no more of a line than is
 * shown. Memory use does not depend on the file or line length.
 */
export function createLineCollector({ offset, limit, maxBytes, maxLineBytes }: LineRange): LineCollector {
  let toSkip = offset - 1
  let skipped = 0
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

  /** Only counts lines. Returns the start of the range, or the end of the chunk. */
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
    // Finish an open line first. There was room when it started.
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

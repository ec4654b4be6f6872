import { Buffer } from 'node:buffer'
import { read } from 'node:fs'
import { promisify, TextDecoder } from 'node:util'
import { decodeText, detectFormat, utf8Format, type TextFormat } from './encoding.ts'
import { createLineCollector, type LineRange } from './read-lines.ts'

export interface TextRange {
  /** Without line endings, cut where they are very long. */
  lines: string[]
  /** Lines of the range that were cut, by their number, with the bytes they really have. */
  cut: Map<number, number>
  /** Lines from the start of the file to the end of the range; of the whole file when there is no more. */
  seen: number
  more: boolean
  format: TextFormat
  endings: { lf: boolean; crlf: boolean }
}

export const defaultLines = 2000
export const maxTextBytes = 50 * 1024
export const maxLineCharacters = 2000

const chunkBytes = 2 ** 18

/** A range of lines of a text that is in memory as a whole. */
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
 * A range of lines of an open file of any size, without holding more than the range. `head` are its first bytes. Reads
 * no further than the file reached when it was opened, so a file that grows does not keep the reader.
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
  // What the first bytes could not tell, the lines themselves do.
  if (format === utf8Format) format = detectFormat(Buffer.concat(lines.map((line) => line.bytes)))
  const lineFormat = transcode === undefined ? { ...format, bom: false } : utf8Format
  const range: TextRange = { lines: [], cut: new Map(), seen, more, format, endings }
  lines.forEach(({ bytes, length }, index) => {
    const isLong = length > bytes.length || length > maxLineCharacters
    addLine(range, offset + index, decodeText(bytes, lineFormat), isLong ? length : 0)
  })
  return range
}

/** `length`: its bytes, when it may have to be cut. */
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
  // A character has at most four bytes, and one more than is shown tells that there is more.
  return { offset, limit, maxBytes: maxTextBytes, maxLineBytes: (maxLineCharacters + 1) * 4 }
}

const readInto = promisify(read)

/**
 * Hands on the bytes of an open file until told that it is enough. Reads ahead into a second buffer while the first is
 * worked on: a chunk is valid only during the call that gets it.
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
    // The file is closed by whoever opened it, and not while it is being read.
    await reading?.catch(() => undefined)
  }
}

import { Buffer } from 'node:buffer'
import { read } from 'node:fs'
import { promisify, TextDecoder } from 'node:util'
import { decodeText, formatOf, plainFormat, type TextFormat } from './encoding.ts'
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
export function rangeOfBytes(bytes: Buffer, offset: number, limit: number): TextRange {
  const format = formatOf(bytes)
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
 * A range of lines of an open file of any size, without holding more than the range. Reads no further than the file
 * reached when it was opened, so a file that grows does not keep the reader.
 */
export async function rangeOfFile(
  fd: number,
  size: number,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<TextRange> {
  const chunks = readChunks(fd, size)
  const collector = createLineCollector(lineRange(offset, limit))
  let format = plainFormat
  let transcode: TextDecoder | undefined
  let isFirst = true
  try {
    for (let { value: chunk } = await chunks.next(); chunk !== undefined; { value: chunk } = await chunks.next()) {
      signal.throwIfAborted()
      if (isFirst) {
        format = formatOf(chunk, { isWhole: false })
        if (format.encoding.startsWith('utf-16')) transcode = new TextDecoder(format.encoding)
        else if (format.bom) chunk = chunk.subarray(3)
        isFirst = false
      }
      if (collector.push(transcode === undefined ? chunk : Buffer.from(transcode.decode(chunk, { stream: true }))))
        break
    }
  } finally {
    await chunks.return(undefined)
  }
  const { lines, seen, more, endings } = collector.end()
  // What the first bytes could not tell, the lines themselves do.
  if (format === plainFormat) format = formatOf(Buffer.concat(lines.map((line) => line.bytes)))
  const lineFormat = transcode === undefined ? { ...format, bom: false } : plainFormat
  const range: TextRange = { lines: [], cut: new Map(), seen, more, format, endings }
  lines.forEach(({ bytes, length }, index) => {
    addLine(
      range,
      offset + index,
      decodeText(bytes, lineFormat),
      length > bytes.length || length > maxLineCharacters ? length : 0,
    )
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

/** Reads ahead into a second buffer while the first is worked on. A chunk is valid until the next one is asked for. */
async function* readChunks(fd: number, size: number): AsyncGenerator<Buffer, undefined, void> {
  const buffers = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)] as const
  let position = 0
  let turn = 0
  const start = (): Promise<{ bytesRead: number }> =>
    readInto(fd, buffers[turn % 2 === 0 ? 0 : 1], 0, Math.min(chunkBytes, size - position), position)
  let next = start()
  try {
    while (position < size) {
      const { bytesRead } = await next
      if (bytesRead === 0) return undefined
      const chunk = buffers[turn % 2 === 0 ? 0 : 1].subarray(0, bytesRead)
      position += bytesRead
      turn++
      if (position < size) next = start()
      yield chunk
    }
    return undefined
  } finally {
    // The file is closed by whoever opened it, and not while it is being read.
    await next.catch(() => undefined)
  }
}

import type { Buffer } from 'node:buffer'
import type { ToolContext } from '../tool.ts'
import { formatName } from './encoding.ts'
import { type OpenedFile, cardPreview, type ReadRange, type ReadResult } from './read-result.ts'
import { sha256Of } from './snapshot.ts'
import { recordRead } from './stamps.ts'
import { defaultLines, readRangeOfBytes, readRangeOfFile, type TextRange } from './text-range.ts'

/** Lines of a text file with their numbers. `head`: its first bytes, or all of them when it is small. */
export async function readText(
  file: OpenedFile,
  head: Buffer,
  { offset, limit = defaultLines }: ReadRange,
  ctx: ToolContext,
): Promise<ReadResult> {
  const from = Math.max(1, offset ?? 1)
  const isWhole = head.length === file.size
  const range = isWhole
    ? readRangeOfBytes(head, from, limit)
    : await readRangeOfFile({ fd: file.fd, size: file.size, head }, from, limit, ctx.signal)
  const { lines, seen, more, cut } = range
  if (seen === 0) {
    recordRead(ctx.state, file.real, { stats: file.stats, sha256: sha256Of(head) }, 'all')
    return {
      output: { kind: 'text', path: file.name, from: 1, lines: 0, preview: '' },
      text: `${file.shown} is empty but for a byte order mark.`,
    }
  }
  if (lines.length === 0) {
    throw new Error(`${file.shown} has ${seen} ${seen === 1 ? 'line' : 'lines'}; there is nothing at offset ${from}.`)
  }
  const sha256 = isWhole ? sha256Of(head) : ''
  const last = more ? seen : Infinity
  recordRead(ctx.state, file.real, { stats: file.stats, sha256 }, cut.size > 0 ? 'some' : { first: from, last })
  const format = formatNote(range)
  return {
    output: {
      kind: 'text',
      path: file.name,
      from,
      lines: lines.length,
      ...(more && { next: seen + 1 }),
      ...(format !== undefined && { encoding: format }),
      preview: cardPreview(lines.slice(0, 8).join('\n')),
    },
    // Joined at once: a text that is added to piece by piece keeps all its pieces in memory.
    text: [...numberLines(range, from), `(${footer(range, from, format)})`].join('\n'),
  }
}

function numberLines({ lines, cut }: TextRange, from: number): string[] {
  return lines.map((line, index) => {
    const number = from + index
    const rest = cut.size === 0 ? undefined : cut.get(number)
    return `${String(number).padStart(6)}\t${line}${rest === undefined ? '' : ` [cut: the line has ${rest} bytes]`}`
  })
}

function footer({ seen, more }: TextRange, from: number, format: string | undefined): string {
  const where = more
    ? `Lines ${from}-${seen} shown, there is more. Continue at offset ${seen + 1}.`
    : `End of file: ${seen} ${seen === 1 ? 'line' : 'lines'}.`
  return format === undefined ? where : `${where} ${format}; kept when you change it.`
}

/** Said only when the file is not what one expects. */
function formatNote({ format, endings }: TextRange): string | undefined {
  const isPlain = format.encoding === 'utf-8' && !format.bom
  const notes = [
    !isPlain && formatName(format),
    endings.crlf && (endings.lf ? 'both CRLF and LF line endings' : 'CRLF line endings'),
  ].filter((note) => note !== false)
  return notes.length === 0 ? undefined : notes.join(', ')
}

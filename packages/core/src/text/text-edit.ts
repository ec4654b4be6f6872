import { Buffer } from 'node:buffer'
import { bomBytes, decodeText, encodePiece, type TextFormat } from './encoding.ts'
import { countNewlines } from './scan-bytes.ts'

export interface TextEdit {
  oldText: string
  newText: string
  all: boolean
}

export interface Replacement {
  start: number
  end: number
  bytes: Buffer
}

export interface EditMatch {
  /** Byte offset. */
  start: number
  replacement(): Replacement
}

export interface EditPlan {
  /** Sorted, without overlap. */
  replacements: readonly Replacement[]
  /** Tells how it matched, if not exactly. */
  note?: string
}

/** Returns the file's bytes after the edit. If there are few pieces, they share memory with their sources. */
export function applyReplacements(bytes: Buffer, { replacements }: EditPlan): Buffer[] {
  if (replacements.length > maxPieces) return [joinReplacements(bytes, replacements)]
  const pieces: Buffer[] = []
  let at = 0
  for (const { start, end, bytes: inserted } of replacements) {
    pieces.push(bytes.subarray(at, start), inserted)
    at = end
  }
  return [...pieces, bytes.subarray(at)]
}

/** Writing many small pieces takes longer than joining them. */
const maxPieces = 500

function joinReplacements(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  const grown = replacements.reduce((sum, { start, end, bytes: inserted }) => sum + inserted.length - (end - start), 0)
  const result = Buffer.allocUnsafe(bytes.length + grown)
  let [from, to] = [0, 0]
  for (const { start, end, bytes: inserted } of replacements) {
    to += bytes.copy(result, to, from, start)
    to += inserted.copy(result, to)
    from = end
  }
  bytes.copy(result, to, from)
  return result
}

/**
 * Text as units that map one to one to its bytes: one character per byte, or per two bytes in UTF-16. Searches run on
 * units, so undecodable bytes stay intact. Blanks and line endings look the same in all encodings.
 */
export interface TextUnits {
  bytes: Buffer
  /** Bytes of the byte order mark, which is not part of the text. */
  mark: number
  unitBytes: 1 | 2
  /** The whole text. Computed on first use. */
  units(): string
  /** Returns a part without copying the rest. */
  slice(from: number, to: number): string
  /** Finds the next occurrence from a position, or -1. */
  finder(units: string): (from: number) => number
  /** Last line feed before a position, or -1. */
  feedBefore(at: number): number
  /**
   * Converts the model's text to units of this file. Throws an Error for the model if the encoding cannot represent it.
   */
  encode(text: string): string
  canEncode(text: string): boolean
  decode(): string
  decodeStart(length: number): string
  byteAt(unit: number): number
  toBytes(units: string): Buffer
  beginsLine(byte: number): boolean
  /** Number of line feeds between two byte offsets. */
  feedsBetween(from: number, to: number): number
}

export function textUnits(bytes: Buffer, format: TextFormat): TextUnits {
  const { encoding } = format
  const mark = bomBytes(format).length
  const isNarrow = encoding === 'utf-8' || encoding === 'latin1'
  const swap = (wide: Buffer): Buffer =>
    encoding === 'utf-16be' ? Buffer.from(wide.subarray(0, wide.length & ~1)).swap16() : wide
  const read = (piece: Buffer): string => (isNarrow ? piece.toString('latin1') : swap(piece).toString('utf16le'))
  let all: string | undefined
  const units = (): string => (all ??= read(bytes.subarray(mark)))
  const encode = (text: string): string => read(encodePiece(text, encoding))
  return {
    bytes,
    mark,
    unitBytes: isNarrow ? 1 : 2,
    units,
    slice: (from, to) => (isNarrow ? bytes.toString('latin1', mark + from, mark + to) : units().slice(from, to)),
    finder(wanted) {
      if (!isNarrow) return (from) => units().indexOf(wanted, from)
      const needle = Buffer.from(wanted, 'latin1')
      return (from) => Math.max(-1, bytes.indexOf(needle, mark + from) - mark)
    },
    feedBefore(at) {
      if (at <= 0) return -1
      return isNarrow ? Math.max(-1, bytes.lastIndexOf(10, mark + at - 1) - mark) : units().lastIndexOf('\n', at - 1)
    },
    encode,
    canEncode(text) {
      try {
        encode(text)
        return true
      } catch {
        return false
      }
    },
    decode: () => decodeText(bytes, format),
    decodeStart: (length) => decodeText(bytes.subarray(0, length & ~1), format),
    byteAt: (unit) => mark + (isNarrow ? unit : unit * 2),
    beginsLine: (byte) => byte <= mark || read(bytes.subarray(byte - (isNarrow ? 1 : 2), byte)) === '\n',
    feedsBetween: (from, to) =>
      isNarrow
        ? countNewlines(bytes.subarray(from, to))
        : read(bytes.subarray(Math.max(mark, from), to)).split('\n').length - 1,
    toBytes: (units) => (isNarrow ? Buffer.from(units, 'latin1') : swap(Buffer.from(units, 'utf16le'))),
  }
}

/** Line in units, without its ending. */
export interface TextLine {
  start: number
  text: string
  ending: '\n' | '\r\n' | '\r' | undefined
}

/** Splits into lines. The text after the last line ending is a line too, even if empty. */
export function toLines(units: string): TextLine[] {
  const pieces = units.split('\n')
  let start = 0
  return pieces.map((piece, index) => {
    const isLast = index === pieces.length - 1
    const isCrlf = !isLast && piece.endsWith('\r')
    const line: TextLine = {
      start,
      text: isCrlf ? piece.slice(0, -1) : piece,
      ending: isLast ? undefined : isCrlf ? '\r\n' : '\n',
    }
    start += piece.length + 1
    return line
  })
}

/** Like `toLines`, but a lone carriage return also ends a line. */
export function toLinesWithReturns(units: string): TextLine[] {
  return toLines(units).flatMap((line) => {
    const pieces = line.text.split('\r')
    let { start } = line
    return pieces.map((text, index): TextLine => {
      const made = { start, text, ending: index < pieces.length - 1 ? ('\r' as const) : line.ending }
      start += text.length + 1
      return made
    })
  })
}

import { Buffer } from 'node:buffer'
import { bomBytes, decodeText, encodePiece, type TextFormat } from './encoding.ts'
import { countNewlines } from './scan-bytes.ts'

export interface TextEdit {
  oldText: string
  newText: string
  all: boolean
}

/** Bytes of the file that are replaced. */
export interface Replacement {
  start: number
  end: number
  bytes: Buffer
}

/** A place where a text was found. */
export interface EditMatch {
  /** In bytes. */
  start: number
  replacement(): Replacement
}

export interface EditPlan {
  /** In order, apart from each other. */
  replacements: readonly Replacement[]
  /** How it was found, when it was not there letter by letter. */
  note?: string
}

/** The bytes of the file after the edit, in pieces that share the memory of what they came from while they are few. */
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

/** To write very many small pieces takes longer than to join them. */
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
 * A text as units that map one to one to its bytes: a character for each byte, or for each two in UTF-16. Searches run
 * on units, so what cannot be decoded is passed over unharmed; blanks and line endings look the same in all encodings.
 */
export interface TextUnits {
  bytes: Buffer
  /** Bytes of the byte order mark, which is not part of the text. */
  mark: number
  unitBytes: 1 | 2
  /** The whole text; made when first asked for. */
  units(): string
  /** A part of it, which needs no copy of the rest. */
  slice(from: number, to: number): string
  /** Where a text comes next, from a place on; -1 when it does not. */
  finder(units: string): (from: number) => number
  /** The last line feed before a place, or -1. */
  feedBefore(at: number): number
  /** A text of the model in units of this file. Throws an Error for the model when its encoding cannot say it. */
  encode(text: string): string
  canEncode(text: string): boolean
  /** The text as it is shown. */
  decode(): string
  /** The same of its first bytes. */
  decodeStart(length: number): string
  /** The byte at which a unit begins. */
  byteAt(unit: number): number
  toBytes(units: string): Buffer
  /** Whether a line begins at a byte. */
  beginsLine(byte: number): boolean
  /** How many lines end between two bytes. */
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

/** A line of a text in units, without its ending. */
export interface TextLine {
  start: number
  text: string
  ending: '\n' | '\r\n' | '\r' | undefined
}

/** All lines of a text. What comes after the last line ending is a line too, even when it is empty. */
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

/** The same where a carriage return alone ends a line, too. */
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

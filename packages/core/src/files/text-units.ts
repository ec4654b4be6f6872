import { Buffer } from 'node:buffer'
import { countNewlines } from './count-newlines.ts'
import { bomBytes, decodeText, encodePiece, type TextFormat } from './encoding.ts'

/**
 * A text as units that map one to one to its bytes: a character for each byte, or for each two in UTF-16. Searches run
 * on units, so what cannot be decoded is passed over unharmed; blanks and line endings look the same in all encodings.
 */
export interface TextUnits {
  bytes: Buffer
  /** One unit is one byte. */
  isNarrow: boolean
  /** Bytes of the byte order mark, which is not part of the text. */
  mark: number
  /** The whole text; made when first asked for. */
  units(): string
  /** A text of the model in units of this file. Throws an Error for the model when its encoding cannot say it. */
  encode(text: string): string
  canEncode(text: string): boolean
  /** The text as it is shown. */
  decode(): string
  /** The byte at which a unit begins. */
  byteAt(unit: number): number
  toBytes(units: string): Buffer
  /** The number of the line that a byte lies in, counted from 1. */
  lineAt(byte: number): number
}

export function textUnits(bytes: Buffer, format: TextFormat): TextUnits {
  const { encoding } = format
  const mark = bomBytes(format).length
  const isNarrow = encoding === 'utf-8' || encoding === 'latin1'
  const swap = (wide: Buffer): Buffer =>
    encoding === 'utf-16be' ? Buffer.from(wide.subarray(0, wide.length & ~1)).swap16() : wide
  const read = (piece: Buffer): string => (isNarrow ? piece.toString('latin1') : swap(piece).toString('utf16le'))
  let all: string | undefined
  const encode = (text: string): string => read(encodePiece(text, encoding))
  return {
    bytes,
    isNarrow,
    mark,
    units: () => (all ??= read(bytes.subarray(mark))),
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
    byteAt: (unit) => mark + (isNarrow ? unit : unit * 2),
    lineAt: (byte) =>
      isNarrow ? countNewlines(bytes.subarray(0, byte)) + 1 : read(bytes.subarray(mark, byte)).split('\n').length,
    toBytes: (units) => (isNarrow ? Buffer.from(units, 'latin1') : swap(Buffer.from(units, 'utf16le'))),
  }
}

import { decodeCharset } from '../text/decode.ts'

/** A stretch of text: characters `from` to `to` are at `place` in the stream. */
export interface Piece {
  from: number
  to: number
  place: number
  /** One byte per character in Windows-1252, or two in UTF-16. */
  isWide: boolean
}

const maxPieces = 1_000_000

/** The piece table says where in the stream each character of the text is. */
export function readPieces(table: Buffer): Piece[] {
  let at = 0
  while (at + 3 <= table.length && table[at] === 1) at += 3 + table.readUInt16LE(at + 1)
  if (table[at] !== 2 || at + 5 > table.length) return []
  const length = table.readUInt32LE(at + 1)
  const plain = table.subarray(at + 5, at + 5 + length)
  const count = Math.min(maxPieces, Math.floor((plain.length - 4) / 12))
  const pieces: Piece[] = []
  for (let index = 0; index < count; index++) {
    const raw = plain.readUInt32LE((count + 1) * 4 + index * 8 + 2)
    const isWide = (raw & 0x40000000) === 0
    const place = raw & 0x3fffffff
    const from = plain.readUInt32LE(index * 4)
    const to = plain.readUInt32LE(index * 4 + 4)
    if (to > from) pieces.push({ from, to, place: isWide ? place : place >> 1, isWide })
  }
  return pieces
}

export function decodePiece(bytes: Buffer, isWide: boolean): string {
  return isWide ? bytes.toString('utf16le') : decodeCharset(bytes, 'windows-1252')
}

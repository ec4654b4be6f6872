import { Buffer, isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1'

export interface TextFormat {
  encoding: Encoding
  /** Starts with a byte order mark. UTF-16 is recognized only by it. */
  bom: boolean
}

export const utf8Format: TextFormat = { encoding: 'utf-8', bom: false }

/**
 * Detects the encoding of a file from all or the start of its bytes. Invalid UTF-8 is Latin-1 (as Windows-1252), unless
 * most non-ASCII characters decode as UTF-8. Then it is UTF-8 with a few damaged bytes.
 */
export function detectFormat(given: Uint8Array, { isWhole = true }: { isWhole?: boolean } = {}): TextFormat {
  const marked = formatFromBom(given)
  if (marked !== undefined) return marked
  const bytes = isWhole ? given : dropPartialCharacter(given)
  if (isUtf8(bytes)) return utf8Format
  let good = 0
  let bad = 0
  for (const character of new TextDecoder().decode(bytes).matchAll(/[^\0-\x7f]/gu)) {
    if (character[0] === '�') bad++
    else good++
  }
  return bad > good ? { encoding: 'latin1', bom: false } : utf8Format
}

export function formatFromBom(bytes: Uint8Array): TextFormat | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', bom: true }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', bom: true }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', bom: true }
  return undefined
}

export function bomBytes({ encoding, bom }: TextFormat): Buffer {
  if (!bom) return Buffer.alloc(0)
  return Buffer.from(
    { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff], latin1: [] }[encoding],
  )
}

/** Decodes without the byte order mark. Damaged bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array, format: TextFormat): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(bomBytes(format).length)
  switch (format.encoding) {
    case 'utf-8':
      return buffer.toString('utf8')
    case 'utf-16le':
      return buffer.toString('utf16le')
    case 'utf-16be':
      return swapBytes(buffer).toString('utf16le')
    case 'latin1':
      return new TextDecoder('windows-1252').decode(buffer)
  }
}

/** Throws an Error for the model if the encoding cannot represent the text. */
export function encodeText(text: string, format: TextFormat): Buffer {
  return Buffer.concat([bomBytes(format), encodePiece(text, format.encoding)])
}

/** Like `encodeText`, but without a byte order mark, for a part of a file. */
export function encodePiece(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8')
    case 'utf-16le':
      return Buffer.from(text, 'utf16le')
    case 'utf-16be':
      return swapBytes(Buffer.from(text, 'utf16le'))
    case 'latin1':
      return encodeLatin1(text)
  }
}

export function formatName({ encoding, bom }: TextFormat): string {
  const name = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16 LE', 'utf-16be': 'UTF-16 BE', latin1: 'Latin-1' }[encoding]
  return bom ? `${name} with a byte order mark` : name
}

function encodeLatin1(text: string): Buffer {
  // Latin-1 and Windows-1252 agree on most characters. The rest is looked up.
  if (/^[\0-\x7f\xa0-\xff]*$/.test(text)) return Buffer.from(text, 'latin1')
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (const character of text) {
    const byte = latin1Byte(character)
    if (byte === undefined) {
      throw new Error(
        `The file is encoded as Latin-1, which has no "${character}". Write the text without it, or convert the file to UTF-8 first.`,
      )
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

let highBytes: Map<string, number> | undefined

function latin1Byte(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code
  highBytes ??= new Map(
    Array.from({ length: 32 }, (_, index) => [
      new TextDecoder('windows-1252').decode(Uint8Array.of(0x80 + index)),
      0x80 + index,
    ]),
  )
  return highBytes.get(character)
}

function swapBytes(buffer: Buffer): Buffer {
  const even = Buffer.from(buffer.subarray(0, buffer.length & ~1))
  return even.swap16()
}

/** The start of a file may end inside a character, which is not damage. */
function dropPartialCharacter(bytes: Uint8Array): Uint8Array {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return ((bytes[end - 1] ?? 0) & 0xc0) === 0xc0 ? bytes.subarray(0, end - 1) : bytes
}

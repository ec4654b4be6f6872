import { codePageName, decodeCharset } from '../text/decode.ts'
import { symbolCharacter } from '../text/inline.ts'

/** Code pages of the character sets that fonts declare. */
const charsets: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

export interface RtfFont {
  charset: number
  name: string
}

/** Text of bytes in a font. Characters of two bytes come as two escapes, so bytes are collected first. */
export function decodeRtf(bytes: Uint8Array, font: RtfFont | undefined, documentPage: number): string {
  // Text in a symbol font is a sign for each byte.
  if (font !== undefined && /symbol|wingdings/i.test(font.name))
    return Array.from(bytes, (code) => (code <= 0x20 ? ' ' : symbolCharacter(code, font.name))).join('')
  const page = font === undefined ? documentPage : (charsets[font.charset] ?? documentPage)
  return decodeCharset(bytes, codePageName(page))
}

/** The four kinds of white space that JSON knows. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** White space that JSON does not know but people and models produce. */
export function isOtherSpace(code: number): boolean {
  if (code < 0x80) return code === 0x0b || code === 0x0c
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x3000 ||
    code === 0x2028 ||
    code === 0x2029 ||
    (code >= 0x2000 && code <= 0x200b)
  )
}

/** The quote that closes a string, by the one that opened it: straight, apostrophe, typographic, full-width. */
const closing = new Map([
  [0x22, 0x22],
  [0x27, 0x27],
  [0x201c, 0x201d],
  [0x201d, 0x201d],
  [0x201e, 0x201c],
  [0x2018, 0x2019],
  [0x2019, 0x2019],
  [0xff02, 0xff02],
])

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || (code > 0x2000 && closing.has(code))
}

export function closingQuote(opening: number): number {
  return opening === 0x22 ? opening : (closing.get(opening) ?? opening)
}

/** Commas and colons also as Chinese typing has them. */
export const isComma = (code: number): boolean => code === 0x2c || code === 0xff0c
export const isColon = (code: number): boolean => code === 0x3a || code === 0xff1a

/** What ends a number, a literal or an unquoted key. */
export function isWordEnd(code: number): boolean {
  if ((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)) return false
  switch (code) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5b: // [
    case 0x5d: // ]
    case 0x60: // `
    case 0x7b: // {
    case 0x7d: // }
      return true
    default:
      return isJsonSpace(code) || isComma(code) || isColon(code) || isOtherSpace(code)
  }
}

import type { Scanner } from './scanner.ts'
import type { Expression } from './syntax.ts'

export function parseString(scanner: Scanner, quote: string): string {
  scanner.at += 1
  let text = ''
  for (;;) {
    text += scanner.match(quote === '"' ? /[^"\\\n]+/y : /[^'\\\n]+/y)
    const char = scanner.source[scanner.at]
    if (char === undefined || char === '\n') return scanner.ended(`The quote ${quote} is never closed.`)
    scanner.at += 1
    if (char === quote) return text
    text += parseEscape(scanner)
  }
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0', '\n': '' }

/** After the backslash. */
export function parseEscape(scanner: Scanner): string {
  const code = /u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})/iy
  code.lastIndex = scanner.at
  const found = code.exec(scanner.source)
  if (found !== null) {
    scanner.at += found[0].length
    const number = Number.parseInt(found[1] ?? found[2] ?? found[3] ?? '', 16)
    return number <= 0x10ffff ? String.fromCodePoint(number) : ''
  }
  const char = scanner.source[scanner.at] ?? ''
  scanner.at += 1
  return escapes[char] ?? char
}

export function parseKey(scanner: Scanner): Extract<Expression, { kind: 'value' }> {
  const at = scanner.at
  const quote = scanner.source[at]
  if (quote === '"' || quote === "'") return { kind: 'value', value: parseString(scanner, quote), at }
  const name = scanner.match(/[\p{L}\p{N}_$]+/uy)
  if (name === '' || (scanner.partial && scanner.isAtEnd())) return scanner.ended('A field name is missing.')
  return { kind: 'value', value: name, at }
}

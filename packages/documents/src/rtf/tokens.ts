/** A piece of RTF. `word` is a control word such as `\b0`; `byte` is a character by its code in the current code page. */
export type RtfToken =
  | { kind: 'open' | 'close' }
  | { kind: 'word'; name: string; value: number | undefined }
  | { kind: 'symbol'; name: string }
  | { kind: 'byte'; code: number }
  | { kind: 'text'; bytes: Uint8Array }

const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d

export function* rtfTokens(bytes: Buffer): Generator<RtfToken> {
  let at = 0
  while (at < bytes.length) {
    const code = bytes[at]!
    if (code === openBrace || code === closeBrace) {
      at++
      yield { kind: code === openBrace ? 'open' : 'close' }
    } else if (code === 10 || code === 13 || code === 0) {
      at++
    } else if (code !== backslash) {
      const start = at
      while (at < bytes.length && !isSpecial(bytes[at]!)) at++
      yield { kind: 'text', bytes: bytes.subarray(start, at) }
    } else if (bytes[at + 1] === 0x27) {
      const value = Number.parseInt(bytes.toString('latin1', at + 2, at + 4), 16)
      at += 4
      if (!Number.isNaN(value)) yield { kind: 'byte', code: value }
    } else if (isLetter(bytes[at + 1] ?? 0)) {
      const start = ++at
      while (at < bytes.length && isLetter(bytes[at]!) && at - start < 40) at++
      const name = bytes.toString('latin1', start, at)
      const digits = at
      if (bytes[at] === 0x2d) at++
      while (at < bytes.length && bytes[at]! >= 0x30 && bytes[at]! <= 0x39 && at - digits < 12) at++
      const number = bytes.toString('latin1', digits, at)
      if (number === '-') at = digits
      // One space after a word belongs to it.
      if (bytes[at] === 0x20) at++
      const value = number === '' || number === '-' ? undefined : Number(number)
      if (name === 'bin') at += Math.max(0, value ?? 0)
      else yield { kind: 'word', name, value }
    } else {
      const name = String.fromCharCode(bytes[at + 1] ?? 0x20)
      at += 2
      yield name === '\n' || name === '\r' ? { kind: 'word', name: 'par', value: undefined } : { kind: 'symbol', name }
    }
  }
}

function isSpecial(code: number): boolean {
  return code === backslash || code === openBrace || code === closeBrace || code === 10 || code === 13 || code === 0
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
}

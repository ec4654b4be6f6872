import { closingQuote, isColon, isComma, isJsonSpace, isQuote } from './json-characters.ts'

const plain = 0
const escape = 1
const unicode = 2
const maybeEnd = 3

const apostrophe = 0x27
const backslash = 0x5c
const firstTypographic = 0x2000
const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Decodes one quoted string after the other, in pieces that may end anywhere, also inside an escape. */
export class StringReader {
  /** Whether the closing quote was read. */
  isOver = false
  /** Whether it is written as JSON wants it. */
  isClean = true
  #state = plain
  #quote = 0
  /** Decoded and not taken yet. */
  #text = ''
  #digits = ''

  /** Starts behind an opening quote. */
  begin(opening: number): void {
    this.isOver = false
    this.isClean = opening === 0x22
    this.#state = plain
    this.#text = ''
    this.#quote = closingQuote(opening)
  }

  /** Reads to the closing quote or the end of the piece and says how far it came. */
  read(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && !this.isOver) {
      if (this.#state === plain) at = this.#readPlain(chunk, at)
      else if (this.#readSpecial(chunk[at] as string)) at++
    }
    return at
  }

  /** What was decoded since the last time. Half a surrogate pair waits for its other half. */
  take(): string {
    const text = this.#text
    const last = text.charCodeAt(text.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#text = text.slice(-1)
      return text.slice(0, -1)
    }
    this.#text = ''
    return text
  }

  /** What was decoded since the last time; nothing more will come. */
  takeAll(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  #readPlain(chunk: string, from: number): number {
    const { length } = chunk
    const quote = this.#quote
    let at = from
    let code = 0
    for (; at < length; at++) {
      code = chunk.charCodeAt(at)
      if (code > backslash && code < firstTypographic) continue
      if (code === quote || code === backslash || code < 0x20) break
    }
    if (at > from) this.#text += at - from === length ? chunk : chunk.slice(from, at)
    if (at === length) return at
    if (code === backslash) {
      this.#state = escape
    } else if (code < 0x20) {
      this.isClean = false
      this.#text += chunk[at]
    } else if (code === apostrophe) {
      this.#state = maybeEnd
    } else {
      this.isOver = true
    }
    return at + 1
  }

  /** Says whether the character was used up. */
  #readSpecial(character: string): boolean {
    if (this.#state === escape) return this.#readEscape(character)
    if (this.#state === unicode) return this.#readDigit(character)
    // An apostrophe inside a word is part of the text, as in 'it's'.
    const code = character.charCodeAt(0)
    this.#state = plain
    if (isJsonSpace(code) || isComma(code) || isColon(code) || '}]/'.includes(character)) this.isOver = true
    else this.#text += "'"
    return false
  }

  /** An escape that JSON does not have was most likely meant as written: \d, \alpha, C:\Users. */
  #readEscape(character: string): boolean {
    this.#state = plain
    const decoded = escapes.get(character)
    if (decoded !== undefined) {
      this.#text += decoded
    } else if (character === 'u') {
      this.#state = unicode
      this.#digits = ''
    } else {
      this.isClean = false
      this.#text += isQuote(character.charCodeAt(0)) || character === '\n' ? character : `\\${character}`
    }
    return true
  }

  #readDigit(character: string): boolean {
    if (/[\da-fA-F]/.test(character)) {
      this.#digits += character
      if (this.#digits.length < 4) return true
      this.#text += String.fromCharCode(Number.parseInt(this.#digits, 16))
    } else {
      this.isClean = false
      this.#text += `\\u${this.#digits}`
    }
    this.#state = plain
    return this.#digits.length === 4
  }
}

import { closingQuote, isColon, isComma, isJsonSpace, isQuote } from './json-characters.ts'

const inText = 0
const afterBackslash = 1
const inUnicodeEscape = 2
const maybeEnd = 3

const apostrophe = 0x27
const backslash = 0x5c
const newline = 0x0a
const firstTypographic = 0x2000
/** Decodes one quoted string after the other, in pieces that may end anywhere, also inside an escape. */
export class StringReader {
  /** Whether the closing quote was read. */
  isOver = false
  /** Whether it is written as JSON wants it. */
  isClean = true
  #state = inText
  #quote = 0
  /** Decoded and not taken yet. */
  #text = ''
  #digits = ''

  /** Starts behind an opening quote. */
  begin(opening: number): void {
    this.isOver = false
    this.isClean = opening === 0x22
    this.#state = inText
    this.#text = ''
    this.#quote = closingQuote(opening)
  }

  /** Reads to the closing quote or the end of the piece and says how far it came. */
  read(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && !this.isOver) {
      if (this.#state === inText) at = this.#readPlain(chunk, at)
      else if (this.#readSpecial(chunk.charCodeAt(at))) at++
    }
    return at
  }

  /** Whether a whole piece is text of the string, to the letter: by far the most common case. */
  isPlain(chunk: string): boolean {
    if (this.#state !== inText || this.#text !== '') return false
    return this.#plainEnd(chunk, 0) === chunk.length && !isHighSurrogate(chunk.charCodeAt(chunk.length - 1))
  }

  /** What was decoded since the last time. Half a surrogate pair waits for its other half. */
  take(): string {
    const text = this.#text
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
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

  /** The place of the first character that is not simply text. */
  #plainEnd(chunk: string, from: number): number {
    const { length } = chunk
    const quote = this.#quote
    for (let at = from; at < length; at++) {
      const code = chunk.charCodeAt(at)
      if (code > backslash && code < firstTypographic) continue
      if (code === quote || code === backslash || code < 0x20) return at
    }
    return length
  }

  #readPlain(chunk: string, from: number): number {
    const { length } = chunk
    const at = this.#plainEnd(chunk, from)
    if (at > from) this.#text += at - from === length ? chunk : chunk.slice(from, at)
    if (at === length) return at
    const code = chunk.charCodeAt(at)
    if (code === backslash) {
      this.#state = afterBackslash
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
  #readSpecial(code: number): boolean {
    if (this.#state === afterBackslash) return this.#readEscape(code)
    if (this.#state === inUnicodeEscape) return this.#readDigit(code)
    // An apostrophe inside a word is part of the text, as in 'it's'.
    this.#state = inText
    if (isJsonSpace(code) || isComma(code) || isColon(code) || code === 0x7d || code === 0x5d || code === 0x2f) {
      this.isOver = true
    } else {
      this.#text += "'"
    }
    return false
  }

  /** An escape that JSON does not have was most likely meant as written: \d, \alpha, C:\Users. */
  #readEscape(code: number): boolean {
    this.#state = inText
    const decoded = unescaped(code)
    if (decoded !== '') {
      this.#text += decoded
    } else if (code === 0x75) {
      this.#state = inUnicodeEscape
      this.#digits = ''
    } else {
      this.isClean = false
      const character = String.fromCharCode(code)
      this.#text += isQuote(code) || code === newline ? character : `\\${character}`
    }
    return true
  }

  #readDigit(code: number): boolean {
    const character = String.fromCharCode(code)
    if (/[\da-fA-F]/.test(character)) {
      this.#digits += character
      if (this.#digits.length < 4) return true
      this.#text += String.fromCharCode(Number.parseInt(this.#digits, 16))
    } else {
      this.isClean = false
      this.#text += `\\u${this.#digits}`
    }
    this.#state = inText
    return this.#digits.length === 4
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

function unescaped(code: number): string {
  switch (code) {
    case 0x22:
      return '"'
    case 0x5c:
      return '\\'
    case 0x2f:
      return '/'
    case 0x62:
      return '\b'
    case 0x66:
      return '\f'
    case 0x6e:
      return '\n'
    case 0x72:
      return '\r'
    case 0x74:
      return '\t'
    default:
      return ''
  }
}

const slash = 0x2f
const star = 0x2a
const tick = 0x60

const afterSlash = 0
const lineComment = 1
const blockComment = 2
const ticks = 3

export function isCommentStart(code: number): boolean {
  return code === slash || code === tick
}

/** Reads comments between values, and the fence that ends a truncated block. */
export class CommentReader {
  #state = afterSlash
  #isStar = false
  #tickCount = 0

  /** Starts after a slash or backtick. */
  begin(code: number): void {
    this.#state = code === tick ? ticks : afterSlash
    this.#isStar = false
    this.#tickCount = 1
  }

  /** `stray`: neither a comment nor a fence. The character is not consumed. */
  read(code: number): 'inside' | 'comment' | 'fence' | 'stray' {
    switch (this.#state) {
      case lineComment:
        return code === newline ? 'comment' : 'inside'
      case blockComment: {
        const isEnd = this.#isStar && code === slash
        this.#isStar = code === star
        return isEnd ? 'comment' : 'inside'
      }
      case ticks:
        if (code !== tick) return 'stray'
        return ++this.#tickCount === 3 ? 'fence' : 'inside'
      default:
        if (code !== slash && code !== star) return 'stray'
        this.#state = code === slash ? lineComment : blockComment
        return 'inside'
    }
  }
}

/** The four whitespace characters of JSON. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Whitespace outside the JSON grammar that people and models produce. */
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

/** Closing quote by opening quote: straight, apostrophe, typographic, full-width. */
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

function closingQuote(opening: number): number {
  return opening === 0x22 ? opening : (closing.get(opening) ?? opening)
}

/** Includes the full-width comma and colon of Chinese input. */
export const isComma = (code: number): boolean => code === 0x2c || code === 0xff0c
export const isColon = (code: number): boolean => code === 0x3a || code === 0xff1a

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

const inText = 0
const afterBackslash = 1
const inUnicodeEscape = 2
const maybeEnd = 3

const apostrophe = 0x27
const backslash = 0x5c
const newline = 0x0a
const firstTypographic = 0x2000
/** Decodes consecutive quoted strings from pieces that may end anywhere, even inside an escape. */
export class StringReader {
  isOver = false
  /** True if the string is valid JSON as written. */
  isClean = true
  #state = inText
  #quote = 0
  #text = ''
  #digits = ''

  /** Starts after an opening quote. */
  begin(opening: number): void {
    this.isOver = false
    this.isClean = opening === 0x22
    this.#state = inText
    this.#text = ''
    this.#quote = closingQuote(opening)
  }

  /** Reads to the closing quote or the end of the piece and returns the end position. */
  read(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && !this.isOver) {
      if (this.#state === inText) at = this.#readPlain(chunk, at)
      else if (this.#readSpecial(chunk.charCodeAt(at))) at++
    }
    return at
  }

  /** True if a whole piece is literal string text. This is by far the most common case. */
  isPlain(chunk: string): boolean {
    if (this.#state !== inText || this.#text !== '') return false
    return this.#plainEnd(chunk, 0) === chunk.length && !isHighSurrogate(chunk.charCodeAt(chunk.length - 1))
  }

  /** Returns the text decoded since the last call. A lone surrogate waits for its other half. */
  take(): string {
    const text = this.#text
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
      this.#text = text.slice(-1)
      return text.slice(0, -1)
    }
    this.#text = ''
    return text
  }

  /** Returns the text decoded since the last call, including a lone surrogate. Call it at the end. */
  takeAll(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

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

  /** Returns true if the character was consumed. */
  #readSpecial(code: number): boolean {
    if (this.#state === afterBackslash) return this.#readEscape(code)
    if (this.#state === inUnicodeEscape) return this.#readDigit(code)
    // An apostrophe inside a word is text, as in 'it's'.
    this.#state = inText
    if (isJsonSpace(code) || isComma(code) || isColon(code) || code === 0x7d || code === 0x5d || code === 0x2f) {
      this.isOver = true
    } else {
      this.#text += "'"
    }
    return false
  }

  /** An escape unknown to JSON was most likely meant literally: \d, \alpha, C:\Users. */
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

interface JsonWord {
  value: string | number | boolean | null
  /** True if JSON spells it this way. */
  clean: boolean
}

const strictNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const looseNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const hexNumber = /^[+-]?0[xX][\da-fA-F]+$/

const yes: JsonWord = { value: true, clean: true }
const no: JsonWord = { value: false, clean: true }
const nothing: JsonWord = { value: null, clean: true }

const looseWords = new Map<string, JsonWord>([
  ['True', { value: true, clean: false }],
  ['False', { value: false, clean: false }],
  ['None', { value: null, clean: false }],
  ['undefined', { value: null, clean: false }],
  ['NaN', { value: Number.NaN, clean: false }],
  ['Infinity', { value: Infinity, clean: false }],
  ['+Infinity', { value: Infinity, clean: false }],
  ['-Infinity', { value: -Infinity, clean: false }],
])

/** Parses a number or literal in JSON, JavaScript or Python syntax. Returns undefined for other words. */
export function readWord(text: string): JsonWord | undefined {
  if (text.charCodeAt(0) <= 0x39) {
    const small = smallInteger(text)
    if (small !== undefined) return { value: small, clean: true }
    if (strictNumber.test(text)) return { value: Number(text), clean: true }
  }
  if (text === 'true') return yes
  if (text === 'false') return no
  if (text === 'null') return nothing
  const literal = looseWords.get(text)
  if (literal !== undefined) return literal
  if (looseNumber.test(text)) return { value: Number(text), clean: false }
  if (!hexNumber.test(text)) return undefined
  const sign = text.startsWith('-') ? -1 : 1
  return { value: sign * Number(text.replace(/^[+-]/, '')), clean: false }
}

/** Fast path: most numbers are short integers. */
function smallInteger(text: string): number | undefined {
  const { length } = text
  if (length > 9 || length === 0 || (length > 1 && text.charCodeAt(0) === 0x30)) return undefined
  let number = 0
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return number
}

/** Completes a truncated word: `tru` can only be true, `12.` is at least 12. */
export function readCutWord(text: string): JsonWord | undefined {
  const literal = ['true', 'false', 'null'].find((name) => text !== '' && name.startsWith(text))
  return readWord(literal ?? text) ?? readWord(text.replace(/(?:\.|\.?[eE][+-]?)$/, ''))
}

export type TokenKind = 'punctuation' | 'string' | 'number' | 'literal'
export type Token = string | number | boolean | null

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * The minimum work to read JSON in pieces: the tokens of RFC 8259 with their values, one call for each. It builds
 * nothing, tolerates no errors, ignores token order, and has no paths or events. `output.bench.ts` uses it as the
 * baseline for the reader.
 */
export class BareTokenizer {
  readonly #onToken: (kind: TokenKind, value: Token) => void
  #state: 'between' | 'string' | 'escape' | 'unicode' | 'word' = 'between'
  #text = ''
  #digits = ''

  constructor(onToken: (kind: TokenKind, value: Token) => void) {
    this.#onToken = onToken
  }

  write(chunk: string): void {
    let at = 0
    while (at < chunk.length) {
      switch (this.#state) {
        case 'string':
          at = this.#string(chunk, at)
          break
        case 'word':
          at = this.#word(chunk, at)
          break
        case 'between':
          at = this.#between(chunk, at)
          break
        default:
          this.#escape(chunk.charCodeAt(at++))
      }
    }
  }

  #between(chunk: string, at: number): number {
    const code = chunk.charCodeAt(at)
    switch (code) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        break
      case 0x22:
        this.#state = 'string'
        this.#text = ''
        break
      case 0x2c:
      case 0x3a:
      case 0x5b:
      case 0x5d:
      case 0x7b:
      case 0x7d:
        this.#onToken('punctuation', chunk[at] as string)
        break
      default:
        this.#state = 'word'
        this.#text = chunk[at] as string
    }
    return at + 1
  }

  #string(chunk: string, from: number): number {
    let at = from
    let code = 0
    for (; at < chunk.length; at++) {
      code = chunk.charCodeAt(at)
      if (code === 0x22 || code === 0x5c || code < 0x20) break
    }
    if (at > from) this.#text += chunk.slice(from, at)
    if (at === chunk.length) return at
    if (code < 0x20) throw new SyntaxError('a control character in a string')
    this.#state = code === 0x22 ? 'between' : 'escape'
    if (code === 0x22) this.#onToken('string', this.#text)
    return at + 1
  }

  #escape(code: number): void {
    if (this.#state === 'escape') {
      this.#state = code === 0x75 ? 'unicode' : 'string'
      if (code === 0x75) this.#digits = ''
      else this.#text += unescaped(code)
      return
    }
    this.#digits += String.fromCharCode(code)
    if (this.#digits.length < 4) return
    if (!/^[\da-fA-F]{4}$/.test(this.#digits)) throw new SyntaxError('not a unicode escape')
    this.#text += String.fromCharCode(Number.parseInt(this.#digits, 16))
    this.#state = 'string'
  }

  #word(chunk: string, from: number): number {
    let at = from
    for (; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      if (code === 0x2c || code === 0x5d || code === 0x7d || code <= 0x20) break
    }
    this.#text += chunk.slice(from, at)
    if (at === chunk.length) return at
    this.#state = 'between'
    const text = this.#text
    if (text === 'true' || text === 'false') this.#onToken('literal', text === 'true')
    else if (text === 'null') this.#onToken('literal', null)
    else if (number.test(text)) this.#onToken('number', Number(text))
    else throw new SyntaxError('not a number')
    return at
  }
}

function unescaped(code: number): string {
  switch (code) {
    case 0x22:
    case 0x2f:
    case 0x5c:
      return String.fromCharCode(code)
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
      throw new SyntaxError('not an escape')
  }
}

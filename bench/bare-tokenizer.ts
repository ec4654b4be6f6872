export type Token = string | number | boolean | null

/**
 * The least that reading JSON in pieces takes: tokens with their values, one call for each. Nothing is built, nothing
 * tolerated, there are no paths and no events. What `output.bench.ts` measures the reader against.
 */
export class BareTokenizer {
  readonly #onToken: (value: Token) => void
  #state: 'between' | 'string' | 'escape' | 'unicode' | 'word' = 'between'
  #text = ''
  #digits = ''

  constructor(onToken: (value: Token) => void) {
    this.#onToken = onToken
  }

  write(chunk: string): void {
    let at = 0
    while (at < chunk.length) {
      const code = chunk.charCodeAt(at)
      switch (this.#state) {
        case 'between':
          at++
          if (code === 0x22) {
            this.#state = 'string'
            this.#text = ''
          } else if (
            code === 0x2c ||
            code === 0x3a ||
            code === 0x5b ||
            code === 0x5d ||
            code === 0x7b ||
            code === 0x7d
          ) {
            this.#onToken(chunk[at - 1] as string)
          } else if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
            this.#state = 'word'
            this.#text = chunk[at - 1] as string
          }
          break
        case 'string': {
          let end = at
          for (; end < chunk.length; end++) {
            const next = chunk.charCodeAt(end)
            if (next === 0x22 || next === 0x5c) break
          }
          if (end > at) this.#text += chunk.slice(at, end)
          at = end
          if (at === chunk.length) break
          if (chunk.charCodeAt(at++) === 0x5c) {
            this.#state = 'escape'
          } else {
            this.#state = 'between'
            this.#onToken(this.#text)
          }
          break
        }
        case 'escape':
          at++
          this.#state = code === 0x75 ? 'unicode' : 'string'
          if (code === 0x75) this.#digits = ''
          else this.#text += unescaped(code)
          break
        case 'unicode':
          at++
          this.#digits += String.fromCharCode(code)
          if (this.#digits.length < 4) break
          this.#text += String.fromCharCode(Number.parseInt(this.#digits, 16))
          this.#state = 'string'
          break
        case 'word':
          if (code === 0x2c || code === 0x5d || code === 0x7d || code === 0x20 || code === 0x0a) {
            this.#state = 'between'
            this.#onToken(word(this.#text))
          } else {
            at++
            this.#text += String.fromCharCode(code)
          }
          break
      }
    }
  }
}

function unescaped(code: number): string {
  switch (code) {
    case 0x6e:
      return '\n'
    case 0x74:
      return '\t'
    case 0x72:
      return '\r'
    case 0x62:
      return '\b'
    case 0x66:
      return '\f'
    default:
      return String.fromCharCode(code)
  }
}

function word(text: string): number | boolean | null {
  if (text === 'true') return true
  if (text === 'false') return false
  return text === 'null' ? null : Number(text)
}

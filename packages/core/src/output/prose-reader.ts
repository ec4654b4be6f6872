import { isJsonSpace, isOtherSpace, isWordEnd } from './json-characters.ts'

const quote = 0x22
const tick = 0x60
const newline = 0x0a
const openList = 0x5b
const openObject = 0x7b

/** Looks for the place in a text where JSON may begin. */
export class JsonStartFinder {
  readonly #kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  /** Only space since the start of the text or of a fenced part: here the answer may be a mere scalar. */
  #isFresh = true
  #isFenceLine = false
  #tickCount = 0

  constructor(kinds: ReadonlySet<'object' | 'list' | 'scalar'>) {
    this.#kinds = kinds
  }

  /** The place of the first character that may begin an answer of a kind that is looked for, or the end. */
  find(chunk: string, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      const isFresh = this.#isFresh
      this.#isFresh &&= isJsonSpace(code) || isOtherSpace(code)
      if (this.#isStart(code, isFresh && !this.#isFresh)) {
        this.#tickCount = 0
        return at
      }
      this.#tickCount = code === tick ? this.#tickCount + 1 : 0
      if (this.#tickCount === 3) this.#isFenceLine = true
      if (code !== newline || !this.#isFenceLine) continue
      this.#isFenceLine = false
      this.#isFresh = true
    }
    return chunk.length
  }

  #isStart(code: number, isFirst: boolean): boolean {
    if (code === openObject) return this.#kinds.has('object')
    if (code === openList) return this.#kinds.has('list')
    return isFirst && this.#kinds.has('scalar') && (code === quote || !isWordEnd(code))
  }
}

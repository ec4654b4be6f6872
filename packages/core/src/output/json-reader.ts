import { BestBlock, type ReaderSink } from './best-block.ts'
import { Block, type BlockSink, type Fields } from './block.ts'
import { GapReader, isGapStart } from './gap-reader.ts'
import { isColon, isComma, isJsonSpace, isOtherSpace, isQuote, isWordEnd } from './json-characters.ts'
import { readCutWord, readWord } from './json-word.ts'
import type { ReadResult } from './output-stream-types.ts'
import type { PatternSegment } from './path.ts'
import type { Place, Watcher } from './places.ts'
import { ProseReader } from './prose-reader.ts'
import { StringReader } from './string-reader.ts'

export interface ReaderOptions<W extends Watcher = Watcher> {
  readonly root: Place<W>
  readonly sink: ReaderSink<W>
  /** What the answer may be as a whole: other brackets are prose. */
  readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  readonly fields: Fields
}

// What the next character belongs to.
const prose = 0
const value = 1
const key = 2
const colon = 3
const after = 4
const string = 5
const word = 6
const afterWord = 7
const gap = 8

const quote = 0x22
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Finds JSON in a text that arrives in pieces and reads it as it comes: one pass, every character once, however the
 * text is cut into pieces. A bracket that turns out to be prose is dropped before anyone hears of it; what is a little
 * off is read for what it means; what is broken is mended and said to be so. Never throws, never recurses.
 */
export class JsonReader<W extends Watcher = Watcher> {
  readonly #root: Place<W>
  readonly #sink: ReaderSink<W>
  readonly #kinds: ReaderOptions<W>['kinds']
  readonly #fields: Fields
  readonly #best: BestBlock<W>
  readonly #onProgress: (block: Block<W>) => void
  readonly #prose: ProseReader
  readonly #strings = new StringReader()
  readonly #gap = new GapReader()
  #state = prose
  /** Where to go on after a comment. */
  #back = prose
  /** The block that is being read. */
  #block: Block<W> | undefined
  /** A comma came last. */
  #isOpenComma = false
  #isKey = false
  #word = ''

  constructor({ root, sink, kinds, fields }: ReaderOptions<W>) {
    this.#root = root
    this.#sink = sink
    this.#kinds = kinds
    this.#fields = fields
    this.#best = new BestBlock(root, sink)
    this.#onProgress = (block) => this.#best.consider(block)
    this.#prose = new ProseReader(kinds)
  }

  /** The best value so far, live. */
  get value(): unknown {
    return this.#best.value
  }

  write(chunk: string): void {
    if (chunk === '') return
    if (this.#state === string && !this.#isKey && this.#strings.isPlain(chunk)) {
      this.#block?.grow(chunk)
      return
    }
    const { length } = chunk
    let at = 0
    while (at < length) {
      switch (this.#state) {
        case string:
          at = this.#strings.read(chunk, at)
          if (this.#strings.isOver) this.#endString()
          break
        case word:
          at = this.#readWord(chunk, at)
          break
        case prose:
          at = this.#readProse(chunk, at)
          break
        default:
          if (this.#read(chunk.charCodeAt(at))) at++
      }
    }
    if (this.#state !== string || this.#isKey) return
    const delta = this.#strings.take()
    if (delta !== '') this.#block?.grow(delta)
  }

  /** The text is over: whatever is open ends here. */
  end(): ReadResult {
    this.#cut()
    const malformed = `There is no JSON ${[...this.#kinds].join(' or ')} in the answer.`
    return this.#best.result() ?? { found: false, value: undefined, completion: undefined, malformed }
  }

  /** Tells a latecomer what readers have seen so far; with a pattern, only the complete values that it matches. */
  tell(tell: BlockSink<W>['tell'], pattern?: readonly PatternSegment[]): void {
    this.#best.tell(tell, pattern)
  }

  #readProse(chunk: string, from: number): number {
    const at = this.#prose.find(chunk, from)
    if (at === chunk.length) return at
    const code = chunk.charCodeAt(at)
    const isList = code === openList
    // After the answer, what looks like a mere scalar is prose.
    if (!isList && code !== openObject && this.#best.isFound) return at + 1
    const block = new Block(this.#root, this.#sink, this.#fields, this.#onProgress)
    this.#block = block
    this.#isOpenComma = false
    if (isList || code === openObject) {
      block.open(isList)
      this.#state = isList ? value : key
      return at + 1
    }
    if (code === quote) {
      this.#beginString(code)
      return at + 1
    }
    this.#beginWord(false)
    return at
  }

  /** One character between values. Says whether it was used up; if not, it is looked at again in the new state. */
  #read(code: number): boolean {
    switch (this.#state) {
      case value:
        return this.#readValue(code)
      case key:
        return this.#readKey(code)
      case colon:
        return this.#readColon(code)
      case after:
        return this.#readAfter(code)
      case afterWord:
        return this.#readAfterWord(code)
      default:
        return this.#readGap(code)
    }
  }

  #readValue(code: number): boolean {
    if (isQuote(code)) {
      this.#beginString(code)
      return true
    }
    if (code === openObject || code === openList) {
      this.#isOpenComma = false
      this.#block?.open(code === openList)
      this.#state = code === openList ? value : key
      return true
    }
    if (this.#isSpace(code)) return true
    if (code === closeList || code === closeObject) {
      if (this.#isOpenComma) this.#mend()
      if (this.#inList() !== (code === closeList) || this.#inList()) return this.#close(code)
      return this.#guess('A value is missing') && this.#close(code)
    }
    if (isComma(code)) {
      if (!this.#guess('A value is missing')) return false
      this.#isOpenComma = true
      this.#state = this.#inList() ? value : key
      return true
    }
    if (isColon(code)) return this.#guess('There is a colon too many')
    this.#beginWord(false)
    return false
  }

  #readKey(code: number): boolean {
    if (isQuote(code)) {
      this.#strings.begin(code)
      this.#isKey = true
      this.#state = string
      return true
    }
    if (this.#isSpace(code)) return true
    if (code === closeObject || code === closeList) {
      if (this.#isOpenComma) this.#mend()
      return this.#close(code)
    }
    if (isWordEnd(code)) return this.#guess(`There is a "${String.fromCharCode(code)}" where a key should be`)
    this.#mend()
    this.#beginWord(true)
    return false
  }

  #readColon(code: number): boolean {
    if (isColon(code)) {
      if (code !== 0x3a) this.#mend()
      if (this.#isKey) this.#block?.confirm()
      this.#state = value
      return true
    }
    if (this.#isSpace(code)) return true
    if (!this.#guess('A colon is missing')) return false
    this.#state = value
    return code === 0x3d
  }

  #readAfter(code: number): boolean {
    if (isComma(code)) {
      if (code !== 0x2c) this.#mend()
      this.#isOpenComma = true
      this.#state = this.#inList() ? value : key
      return true
    }
    if (code === closeObject || code === closeList) return this.#close(code)
    if (this.#isSpace(code)) return true
    if (this.#guess('A comma is missing')) this.#state = this.#inList() ? value : key
    return false
  }

  /** A number or literal is complete when what must follow it has been seen: space alone tells nothing. */
  #readAfterWord(code: number): boolean {
    if (this.#block?.top !== undefined && (isComma(code) || code === closeList || code === closeObject)) {
      this.#endWord(true)
      return false
    }
    if (this.#isSpace(code)) return true
    if (this.#block?.top === undefined) {
      this.#endRootWord(false)
      return false
    }
    if (isWordEnd(code) || isQuote(code)) {
      if (this.#guess('A comma is missing')) this.#endWord(false)
      return false
    }
    if (!this.#guess('A word stands alone')) return false
    this.#word += ' '
    this.#state = word
    return false
  }

  /** White space, and the start of what might be a comment or a fence. */
  #isSpace(code: number): boolean {
    if (isJsonSpace(code)) return true
    if (isGapStart(code)) {
      this.#gap.begin(code)
      this.#back = this.#state
      this.#state = gap
      return true
    }
    return isOtherSpace(code) && this.#mend()
  }

  #readGap(code: number): boolean {
    const found = this.#gap.read(code)
    if (found === 'inside') return true
    this.#state = this.#back
    if (found === 'comment') return this.#mend()
    if (found === 'stray') this.#guess('There is a stray "/" or "`"')
    else this.#cut()
    return found === 'fence'
  }

  #readWord(chunk: string, from: number): number {
    let at = from
    while (at < chunk.length && !isWordEnd(chunk.charCodeAt(at))) at++
    this.#word += chunk.slice(from, at)
    if (at === chunk.length) return at
    this.#state = afterWord
    if (this.#isKey) this.#setKey(this.#word, false)
    return at
  }

  #beginWord(isKey: boolean): void {
    this.#word = ''
    this.#isKey = isKey
    this.#state = word
  }

  #beginString(opening: number): void {
    this.#block?.confirm()
    this.#strings.begin(opening)
    this.#block?.beginString()
    this.#isKey = false
    this.#isOpenComma = false
    this.#state = string
  }

  #endString(): void {
    const text = this.#strings.takeAll()
    if (this.#isKey) {
      if (!this.#strings.isClean) this.#mend()
      this.#setKey(text, true)
      return
    }
    this.#block?.endString(text, this.#strings.isClean ? 'observed' : 'repaired')
    this.#ended()
  }

  /** A quoted key with a colon behind it is a sure sign of JSON, a bare one is not. */
  #setKey(text: string, isQuoted: boolean): void {
    this.#block?.top?.setKey(text)
    this.#isKey = isQuoted
    this.#isOpenComma = false
    this.#state = colon
  }

  #endWord(isDelimited: boolean): void {
    const found = readWord(this.#word)
    this.#isOpenComma = false
    if (found !== undefined) {
      this.#block?.confirm()
      this.#block?.scalar(found.value, this.#word, found.clean && isDelimited ? 'observed' : 'repaired')
    } else {
      const text = this.#word.trimEnd()
      if (!this.#guess(`${JSON.stringify(text.slice(0, 40))} is not JSON`)) return
      this.#block?.scalar(text, text, 'repaired')
    }
    this.#ended()
  }

  /** A number or literal that is the whole answer; other words are prose. */
  #endRootWord(isFinal: boolean): void {
    const text = this.#word
    const found = readWord(text)
    if (found === undefined) return this.#abandon()
    this.#block?.confirm()
    this.#block?.scalar(found.value, text, found.clean && isFinal ? 'final' : 'repaired')
    this.#ended()
  }

  #close(code: number): boolean {
    const isList = code === closeList
    if (this.#inList() !== isList) {
      if (!this.#guess('The brackets do not match')) return false
      const holder = this.#block?.top?.nearest(isList)
      if (holder === undefined) return true
      while (this.#block?.top !== holder) this.#closeMended()
      holder.mended = true
    }
    if (this.#block?.top?.parent === undefined) this.#block?.confirm()
    this.#block?.close()
    this.#ended()
    return true
  }

  #closeMended(): void {
    const top = this.#block?.top
    if (top !== undefined) top.mended = true
    this.#block?.close()
  }

  #ended(): void {
    this.#isOpenComma = false
    this.#state = after
    if (this.#block?.top !== undefined) return
    this.#block = undefined
    this.#state = prose
  }

  /** Ends what is open where the text, or the fence around it, ends. */
  #cut(): void {
    const block = this.#block
    if (block === undefined) return
    if (this.#state === gap) this.#state = this.#back
    const isWord = !this.#isKey && (this.#state === word || this.#state === afterWord)
    if (block.top === undefined && isWord) return this.#endRootWord(true)
    const found = isWord ? (this.#state === word ? readCutWord(this.#word) : readWord(this.#word)) : undefined
    if (found !== undefined) block.confirm()
    if (!this.#guess('The JSON breaks off')) return
    if (found !== undefined) block.scalar(found.value, this.#word, 'repaired')
    if (this.#state === string && !this.#isKey) block.endString(this.#strings.takeAll(), 'repaired')
    while (block.top !== undefined) this.#closeMended()
    this.#ended()
  }

  #inList(): boolean {
    return this.#block?.top?.isList === true
  }

  #mend(): true {
    this.#block?.mend()
    return true
  }

  /** Says whether to go on; if not, all of it was prose. */
  #guess(reason: string): boolean {
    if (this.#block?.guess(reason)) return true
    this.#abandon()
    return false
  }

  #abandon(): void {
    this.#block = undefined
    this.#state = prose
  }
}

import type { JsonBlock } from './block.ts'
import {
  CommentReader,
  isColon,
  isComma,
  isCommentStart,
  isJsonSpace,
  isOtherSpace,
  isQuote,
  isWordEnd,
  readCutWord,
  readWord,
  StringReader,
} from './lexer.ts'
import type { Watcher } from './path.ts'

const value = 0
const key = 1
const colon = 2
const after = 3
const string = 4
const word = 5
const afterWord = 6
const gap = 7
const afterRootString = 8

const notWhole = 'The answer has more than one value'

const quote = 0x22
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Reads consecutive JSON blocks from pieces that may end anywhere. Accepts slightly invalid JSON by its meaning.
 * Repairs broken JSON and marks it as repaired. Drops a block that turns out to be prose before any watcher sees it.
 */
export class BlockReader<W extends Watcher = Watcher> {
  readonly #strings = new StringReader()
  readonly #gap = new CommentReader()
  #state = after
  #back = after
  #block: JsonBlock<W> | undefined
  #isOpenComma = false
  #isKey = false
  #word = ''

  /** Starts a block with its first character. Returns true if the character was consumed. */
  begin(block: JsonBlock<W>, code: number): boolean {
    this.#block = block
    this.#isOpenComma = false
    if (code === openList || code === openObject) {
      block.open(code === openList)
      this.#state = code === openList ? value : key
      return true
    }
    if (code === quote) this.#beginString(code)
    else this.#beginWord(false)
    return code === quote
  }

  /**
   * Reads to the end of the block or the piece and returns the end position. Returns `from` if no block has started.
   */
  read(chunk: string, from: number): number {
    if (from === 0 && this.#state === string && !this.#isKey && this.#strings.isPlain(chunk)) {
      this.#block?.grow(chunk)
      return chunk.length
    }
    const { length } = chunk
    let at = from
    while (at < length && this.#block !== undefined) {
      if (this.#state === string) {
        at = this.#strings.read(chunk, at)
        if (this.#strings.isOver) this.#endString()
      } else if (this.#state === word) {
        at = this.#readWord(chunk, at)
      } else if (this.#read(chunk.charCodeAt(at))) {
        at++
      }
    }
    if (this.#state !== string || this.#isKey) return at
    const delta = this.#strings.take()
    if (delta !== '') this.#block?.grow(delta)
    return at
  }

  /** Closes everything open at the end of the text or its fence. */
  cut(): void {
    const block = this.#block
    if (block === undefined) return
    if (this.#state === gap) this.#state = this.#back
    if (this.#state === afterRootString) return this.#ended()
    const isWord = !this.#isKey && (this.#state === word || this.#state === afterWord)
    if (block.top === undefined && isWord) return this.#endRootWord(true)
    const found = isWord ? (this.#state === word ? readCutWord(this.#word) : readWord(this.#word)) : undefined
    if (found !== undefined) block.confirm()
    if (!this.#guess('The JSON is cut off')) return
    if (found !== undefined) block.scalar(found.value, this.#word, 'repaired')
    if (this.#state === string && !this.#isKey) block.endString(this.#strings.takeAll(), 'repaired')
    while (block.top !== undefined) this.#closeMended()
    this.#ended()
  }

  /** Handles one character between values. Returns false if the new state must handle it again. */
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
      case afterRootString:
        return this.#readAfterRootString(code)
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
    if (isColon(code)) return this.#guess('There is an extra colon')
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

  /** A number or literal is complete only once its delimiter is seen. Whitespace alone is not enough. */
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
      // `[3[4]]` is broken JSON, not prose around `[4]`, because its first word is a value.
      const begins = code === openList || code === openObject || isQuote(code)
      if (begins && readWord(this.#word) !== undefined) this.#block?.confirm()
      if (this.#guess('A comma is missing')) this.#endWord(false)
      return false
    }
    if (!this.#guess('There is a stray word')) return false
    this.#word += ' '
    this.#state = word
    return false
  }

  /** A root string ends with the text or its fence. */
  #readAfterRootString(code: number): boolean {
    if (this.#isSpace(code)) return true
    this.#block?.guess(notWhole)
    this.#ended()
    return false
  }

  #isSpace(code: number): boolean {
    if (isJsonSpace(code)) return true
    if (isCommentStart(code)) {
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
    else this.cut()
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
    if (this.#block?.top === undefined) this.#state = afterRootString
    else this.#ended()
  }

  /** A quoted key followed by a colon proves that it is JSON. A bare key does not. */
  #setKey(text: string, isQuoted: boolean): void {
    this.#block?.key(text)
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

  /** Accepts a root number or literal. Other words are prose, and one followed by more text is incomplete. */
  #endRootWord(isFinal: boolean): void {
    const text = this.#word
    const found = readWord(text)
    if (found === undefined) return this.#abandon()
    this.#block?.confirm()
    if (!isFinal) this.#block?.guess(notWhole)
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
    if (this.#block?.top === undefined) this.#block = undefined
  }

  #inList(): boolean {
    return this.#block?.top?.isList === true
  }

  #mend(): true {
    this.#block?.mend()
    return true
  }

  /** Returns false if all of it was prose. */
  #guess(reason: string): boolean {
    if (this.#block?.guess(reason)) return true
    this.#abandon()
    return false
  }

  #abandon(): void {
    this.#block = undefined
    this.#state = after
  }
}

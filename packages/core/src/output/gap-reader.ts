const slash = 0x2f
const star = 0x2a
const tick = 0x60
const newline = 0x0a

const afterSlash = 0
const lineComment = 1
const blockComment = 2
const ticks = 3

/** Whether a character may begin a comment or a fence between values. */
export function isCommentStart(code: number): boolean {
  return code === slash || code === tick
}

/** Reads what may stand between values besides white space: comments, and the fence that ends a cut block. */
export class CommentReader {
  #state = afterSlash
  #isStar = false
  #tickCount = 0

  /** Starts behind a slash or a backtick. */
  begin(code: number): void {
    this.#state = code === tick ? ticks : afterSlash
    this.#isStar = false
    this.#tickCount = 1
  }

  /** `stray`: it was neither; this character is not used up and belongs to something else. */
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

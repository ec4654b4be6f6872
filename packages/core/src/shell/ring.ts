/** The end of a text that only grows. Positions count characters from its beginning. */
export interface Ring {
  readonly length: number
  add(text: string): void
  /** What came since `from`; `lost` characters of that are no longer kept. */
  read(from?: number): { text: string; next: number; lost: number }
}

export const ringCharacters = 1 << 20

export function createRing(limit = ringCharacters): Ring {
  const pieces: string[] = []
  let length = 0
  let start = 0
  return {
    get length() {
      return length
    },
    add(text) {
      if (text === '') return
      // Many small pieces would cost more than their characters.
      const last = pieces.at(-1)
      if (last !== undefined && last.length + text.length <= 4096) pieces[pieces.length - 1] = last + text
      else pieces.push(text)
      length += text.length
      while (pieces.length > 1 && length - start - pieces[0]!.length >= limit) start += pieces.shift()!.length
      if (length - start > limit) {
        const over = length - start - limit
        pieces[0] = pieces[0]!.slice(over)
        start += over
      }
    },
    read(from = 0) {
      const at = Math.min(Math.max(from, 0), length)
      const lost = Math.max(0, start - at)
      return { text: since(Math.max(at, start)), next: length, lost }
    },
  }

  function since(at: number): string {
    let from = length
    let first = pieces.length
    while (from > at) from -= pieces[--first]!.length
    return pieces
      .slice(first)
      .join('')
      .slice(at - from)
  }
}

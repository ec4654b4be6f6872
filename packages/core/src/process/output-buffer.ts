/** Tail of a growing text. Positions count characters from the start of the text. */
interface Ring {
  readonly length: number
  add(text: string): void
  /** Returns the text since `from`. `lost` counts characters no longer kept. */
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
      // Merge small pieces, since each costs more than its characters.
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

/** Throttles live output for a person: few chunks, and never more than a person can read. */
interface LiveText {
  add(text: string): void
  /** Resolves with the next chunk, at a limited rate. */
  next(): Promise<string>
}

const everyMs = 50
const pieceCharacters = 4000
/** Beyond this, a person only checks that output still moves. */
const plentyCharacters = 100_000
const plentyEveryMs = 1000

export function createLiveText(): LiveText {
  let pending = ''
  let skipped = 0
  let shown = 0
  let lastAt = 0
  let waiting: PromiseWithResolvers<string> | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    add(text) {
      pending += text
      if (pending.length > pieceCharacters * 2) {
        skipped += pending.length - pieceCharacters
        pending = pending.slice(-pieceCharacters)
      }
      arm()
    },
    next() {
      const taker = (waiting ??= Promise.withResolvers())
      arm()
      return taker.promise
    },
  }

  function arm(): void {
    if (waiting === undefined || pending === '' || timer !== undefined) return
    const gap = shown < plentyCharacters ? everyMs : plentyEveryMs
    const wait = lastAt + gap - performance.now()
    if (wait <= 0) {
      hand()
      return
    }
    timer = setTimeout(() => {
      timer = undefined
      hand()
    }, wait)
    timer.unref()
  }

  function hand(): void {
    const cut = pending.slice(-pieceCharacters)
    skipped += pending.length - cut.length
    const piece = skipped === 0 ? cut : `\n... [${skipped} characters skipped] ...\n${cut}`
    pending = ''
    skipped = 0
    shown += piece.length
    lastAt = performance.now()
    const taker = waiting
    waiting = undefined
    taker?.resolve(piece)
  }
}

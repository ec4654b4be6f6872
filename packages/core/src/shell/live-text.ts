/** Output on its way to a watching person: in few pieces, and never more than a person could read. */
export interface LiveText {
  add(text: string): void
  /** The next piece, when there is one and the last is long enough ago. */
  next(): Promise<string>
}

const everyMs = 50
const pieceCharacters = 4000
/** After so much a person only looks whether it still moves. */
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

import type { Segment } from './output-filter.ts'
import type { ScreenPoint } from './screen-state.ts'

interface Piece {
  start: number
  text: string
  at: ScreenPoint
}

/** A viewer's position in the output, and its screen. */
export interface Place {
  position: number
  alternate: boolean
}

/**
 * The end of a terminal's output, in pieces that each know the state they begin in. A viewer that was too slow, or is
 * new, continues at the oldest piece. Output of the second screen, which editors and pagers draw, is kept apart and
 * only while it is shown, so it does not push out the lines before it.
 */
export interface History {
  readonly length: number
  add(segments: readonly Segment[]): void
  /** Returns the next output, or undefined at the end. `skipped` counts characters that are no longer kept. */
  read(from: Place): (Place & { text: string; skipped: number }) | undefined
  /** True if the beginning of the second screen's output is lost, so only its program can draw it. */
  readonly isCut: boolean
}

const mergeBelow = 16_384

export function createHistory({ most = 2 << 20, mostAlternate = 512 << 10 } = {}): History {
  let pieces: Piece[] = []
  let length = 0
  let alternate = false
  const kept = { normal: 0, alternate: 0 }
  let isCut = false
  return {
    get length() {
      return length
    },
    get isCut() {
      return isCut && alternate
    },
    add(segments) {
      for (const { text, at } of segments) {
        if (!at.alternate && kept.alternate > 0) leaveAlternate()
        alternate = at.alternate
        const last = pieces.at(-1)
        if (last?.at.alternate === at.alternate && last.text.length + text.length <= mergeBelow && !isSwitch(text))
          last.text += text
        else pieces.push({ start: length, text, at })
        length += text.length
        kept[at.alternate ? 'alternate' : 'normal'] += text.length
      }
      while (kept.normal > most) dropOldest(false)
      while (kept.alternate > mostAlternate) {
        dropOldest(true)
        isCut = true
      }
    },
    read({ position, alternate: shown }) {
      const index = indexAfter(position)
      const piece = pieces[index]
      if (piece === undefined) return undefined
      const next = pieces[index + 1]
      const to = { position: piece.start + piece.text.length, alternate: next?.at.alternate ?? alternate }
      if (piece.start <= position) return { ...to, text: piece.text.slice(position - piece.start), skipped: 0 }
      const other = piece.at.alternate === shown ? '' : piece.at.alternate ? '\x1b[?1047h' : '\x1b[?1047l'
      return { ...to, text: other + piece.at.preamble + piece.text, skipped: piece.start - position }
    },
  }

  function leaveAlternate(): void {
    pieces = pieces.filter((piece) => !piece.at.alternate)
    kept.alternate = 0
    isCut = false
  }

  function dropOldest(ofAlternate: boolean): void {
    const index = pieces.findIndex((piece) => piece.at.alternate === ofAlternate)
    const [gone] = pieces.splice(index, 1)
    kept[ofAlternate ? 'alternate' : 'normal'] -= gone?.text.length ?? 0
  }

  /** Index of the first piece that ends after a position. */
  function indexAfter(position: number): number {
    let low = 0
    let high = pieces.length
    while (low < high) {
      const middle = (low + high) >> 1
      const { start, text } = pieces[middle]!
      if (start + text.length > position) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** A switch to the other screen stays its own piece, so that nothing after it is kept or dropped with it. */
function isSwitch(text: string): boolean {
  return text.startsWith('\x1b[?') && text.length < 12
}

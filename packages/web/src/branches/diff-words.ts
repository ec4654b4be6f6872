/** A piece of two texts: in both, only in the first, or only in the second. */
export interface WordPiece {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Texts that differ more are shown as they are: a marked word would say nothing any more. */
const mostEdits = 500

/** What became of the words of a text; the pieces of the one, and those of the other, make up each text again. */
export function diffWords(before: string, after: string): WordPiece[] {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const pieces: WordPiece[] = []
  add(pieces, 'same', one.slice(0, start))
  const middle = edits(one.slice(start, one.length - end), other.slice(start, other.length - end))
  for (const { kind, text } of middle) add(pieces, kind, [text])
  add(pieces, 'same', one.slice(one.length - end))
  return pieces
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

/** The shortest way from the one to the other, found by going as far as possible with each further edit. */
function edits(one: string[], other: string[]): WordPiece[] {
  const [width, height] = [one.length, other.length]
  const most = Math.min(width + height, mostEdits)
  let reach = new Map([[1, 0]])
  const trail: Map<number, number>[] = []
  for (let count = 0; count <= most; count++) {
    trail.push(new Map(reach))
    const next = new Map(reach)
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = stepX(reach, diagonal, count)
      let y = x - diagonal
      while (x < width && y < height && one[x] === other[y]) {
        x++
        y++
      }
      next.set(diagonal, x)
      if (x >= width && y >= height) return walkBack(trail, one, other)
    }
    reach = next
  }
  return [
    ...(width > 0 ? [{ kind: 'removed' as const, text: one.join('') }] : []),
    ...(height > 0 ? [{ kind: 'added' as const, text: other.join('') }] : []),
  ]
}

function stepX(reach: ReadonlyMap<number, number>, diagonal: number, count: number): number {
  const [below, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1]
  return diagonal === -count || (diagonal !== count && below < above) ? above : below + 1
}

function walkBack(trail: readonly ReadonlyMap<number, number>[], one: string[], other: string[]): WordPiece[] {
  const pieces: WordPiece[] = []
  let [x, y] = [one.length, other.length]
  for (let count = trail.length - 1; count >= 0; count--) {
    const reach = trail[count] as ReadonlyMap<number, number>
    const diagonal = x - y
    const cameDown =
      diagonal === -count || (diagonal !== count && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1))
    const from = diagonal + (cameDown ? 1 : -1)
    const beforeX = count === 0 ? 0 : (reach.get(from) ?? 0)
    const beforeY = count === 0 ? 0 : beforeX - from
    while (x > beforeX && y > beforeY) {
      x--
      y--
      pieces.push({ kind: 'same', text: one[x] as string })
    }
    if (count === 0) break
    if (cameDown) {
      y--
      pieces.push({ kind: 'added', text: other[y] as string })
    } else {
      x--
      pieces.push({ kind: 'removed', text: one[x] as string })
    }
  }
  return pieces.toReversed()
}

function add(pieces: WordPiece[], kind: WordPiece['kind'], words: string[]): void {
  const text = words.join('')
  if (text === '') return
  const last = pieces.at(-1)
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

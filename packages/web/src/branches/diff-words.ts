interface WordPiece {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/** Beyond this many edits, word highlights no longer help, so the texts are shown as a whole. */
const mostEdits = 500

/** Diffs two texts by word. Joining the pieces of either side restores that text. */
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

/** Myers diff: extends the furthest reach with each additional edit. */
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

const names = { removed: 'compare-removed', added: 'compare-added' } as const

/**
 * Highlights words that only one of two elements contains. Uses CSS highlights, so React's DOM stays untouched. Updates
 * when the DOM changes, for example after syntax highlighting. Returns a cleanup function.
 */
export function markChanges(left: Element, right: Element): () => void {
  if (!('highlights' in CSS)) return () => undefined
  let ranges: { kind: keyof typeof names; range: Range }[] = []
  let frame = 0
  const clear = (): void => {
    for (const { kind, range } of ranges) CSS.highlights.get(names[kind])?.delete(range)
  }
  const mark = (): void => {
    clear()
    ranges = changes(left, right)
    for (const { kind, range } of ranges) highlight(names[kind]).add(range)
  }
  const watching = new MutationObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(mark)
  })
  for (const side of [left, right]) watching.observe(side, { childList: true, characterData: true, subtree: true })
  mark()
  return () => {
    watching.disconnect()
    cancelAnimationFrame(frame)
    clear()
  }
}

function highlight(name: string): Highlight {
  const known = CSS.highlights.get(name)
  if (known !== undefined) return known
  const made = new Highlight()
  CSS.highlights.set(name, made)
  return made
}

function changes(left: Element, right: Element): { kind: keyof typeof names; range: Range }[] {
  const sides = { removed: readText(left), added: readText(right) }
  const at = { removed: 0, added: 0 }
  return diffWords(sides.removed.text, sides.added.text).flatMap(({ kind, text }) => {
    if (kind === 'same') {
      at.removed += text.length
      at.added += text.length
      return []
    }
    const from = at[kind]
    at[kind] += text.length
    return rangesOf(sides[kind].pieces, from, at[kind]).map((range) => ({ kind, range }))
  })
}

interface DrawnText {
  text: string
  pieces: { node: Node; from: number; to: number }[]
}

/** Skips button labels. Separates blocks like lines. */
function readText(root: Element): DrawnText {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const pieces: DrawnText['pieces'] = []
  let text = ''
  let block: Element | null | undefined
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest('figcaption, button') != null) continue
    const around = node.parentElement?.closest('p, li, pre, td, th, h3, h4, h5, h6, blockquote, div')
    if (block !== undefined && around !== block) text += '\n'
    block = around
    const from = text.length
    text += node.textContent ?? ''
    pieces.push({ node, from, to: text.length })
  }
  return { text, pieces }
}

function rangesOf(pieces: DrawnText['pieces'], from: number, to: number): Range[] {
  return pieces.flatMap((piece) => {
    const [start, end] = [Math.max(from, piece.from), Math.min(to, piece.to)]
    if (start >= end) return []
    const range = document.createRange()
    range.setStart(piece.node, start - piece.from)
    range.setEnd(piece.node, end - piece.from)
    return [range]
  })
}

import { diffWords } from './diff-words.ts'

const names = { removed: 'compare-removed', added: 'compare-added' } as const

/**
 * Marks the words that only one of two texts has, as they are drawn: over the text, so what React has made stays as it
 * is. Looks again when something is drawn later, such as code in its colours. Returns the way to take the marks back.
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

/** Words on buttons are not of the message; blocks are parted as lines are. */
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

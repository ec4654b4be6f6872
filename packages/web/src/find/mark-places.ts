import { findIn } from './find-in.ts'
import type { FoundPlace } from './find-store.ts'

/** Marks are drawn over the text, so what React has made stays as it is. */
const all = 'found'
const one = 'found-here'

/** Marks what is found in the messages that are drawn; gives the place that is looked at, if it is among them. */
export function markPlaces(root: Element, text: string, here: FoundPlace | undefined): Range | undefined {
  if (!('highlights' in CSS)) return undefined
  const found: Range[] = []
  let current: Range | undefined
  for (const article of root.querySelectorAll<HTMLElement>('[data-message]')) {
    const ranges = rangesIn(article, text)
    found.push(...ranges)
    if (here !== undefined && article.dataset['message'] === here.messageId)
      current = ranges[here.ordinal] ?? ranges.at(-1)
  }
  CSS.highlights.set(all, new Highlight(...found))
  if (current === undefined) CSS.highlights.delete(one)
  else CSS.highlights.set(one, new Highlight(current))
  return current
}

export function clearMarks(): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete(all)
  CSS.highlights.delete(one)
}

/** Text of people and answers; what tools printed is not searched. */
function rangesIn(article: HTMLElement, text: string): Range[] {
  const ranges: Range[] = []
  for (const block of article.querySelectorAll(':scope > .bubble, :scope > .prose')) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    const pieces: { node: Node; from: number }[] = []
    let whole = ''
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement?.closest('figcaption, button') != null) continue
      pieces.push({ node, from: whole.length })
      whole += node.textContent ?? ''
    }
    for (const [from, to] of findIn(whole, text)) {
      const range = document.createRange()
      const start = pieces.findLast((piece) => piece.from <= from)
      const end = pieces.findLast((piece) => piece.from < to)
      if (start === undefined || end === undefined) continue
      range.setStart(start.node, from - start.from)
      range.setEnd(end.node, to - end.from)
      ranges.push(range)
    }
  }
  return ranges
}

import { findOccurrences } from './find-in.ts'
import type { FoundMatch } from './find-store.ts'

/** Marks are drawn over the text, so what React has made stays as it is. */
const allHighlight = 'found'
const currentHighlight = 'found-here'

/** Where the place that is looked at is drawn, and whether that is the text itself or only the card that holds it. */
export interface ShownMatch {
  range: Range
  isText: boolean
}

/** Marks what is found in the messages that are drawn; gives the place that is looked at, if it is among them. */
export function highlightMatches(root: Element, text: string, here: FoundMatch | undefined): ShownMatch | undefined {
  if (!('highlights' in CSS)) return undefined
  const found: Range[] = []
  let current: ShownMatch | undefined
  for (const article of root.querySelectorAll<HTMLElement>('[data-message]')) {
    const said = blocksOf(article, ':scope > .bubble, :scope > .prose').flatMap((block) => rangesIn(block, text))
    found.push(...said)
    const isHere = here !== undefined && article.dataset['message'] === here.messageId
    const range = isHere && here.toolCallId === undefined ? (said[here.ordinal] ?? said.at(-1)) : undefined
    if (range !== undefined) current = { range, isText: true }
    for (const card of blocksOf(article, ':scope > [data-call]')) {
      const ranges = rangesIn(card, text)
      found.push(...ranges)
      if (isHere && card.dataset['call'] === here.toolCallId) current = inCard(card, ranges)
    }
  }
  CSS.highlights.set(allHighlight, new Highlight(...found))
  if (current === undefined) CSS.highlights.delete(currentHighlight)
  else CSS.highlights.set(currentHighlight, new Highlight(current.range))
  return current
}

/** The card of a call, if it is drawn. */
export function findCard(root: Element, { messageId, toolCallId = '' }: FoundMatch): HTMLElement | null {
  const at = `[data-message="${CSS.escape(messageId)}"] > [data-call="${CSS.escape(toolCallId)}"]`
  return root.querySelector<HTMLElement>(at)
}

/** What is below the head before the head: that one sees anyway. A card may show less than the call holds. */
function inCard(card: HTMLElement, ranges: readonly Range[]): ShownMatch | undefined {
  const below = ranges.find(({ startContainer }) => startContainer.parentElement?.closest('.tool-head') === null)
  const range = below ?? ranges[0]
  if (range !== undefined) return { range, isText: below !== undefined }
  const head = document.createRange()
  head.selectNodeContents(card.querySelector('.tool-title') ?? card)
  return { range: head, isText: false }
}

function blocksOf(article: HTMLElement, selector: string): HTMLElement[] {
  return [...article.querySelectorAll<HTMLElement>(selector)]
}

export function clearHighlights(): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete(allHighlight)
  CSS.highlights.delete(currentHighlight)
}

/** Words on buttons are not of the message, but for the line that a card always shows. */
function rangesIn(block: HTMLElement, text: string): Range[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  const pieces: { node: Node; from: number }[] = []
  let whole = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const around = node.parentElement?.closest('figcaption, button')
    if (around != null && !around.matches('.tool-head')) continue
    pieces.push({ node, from: whole.length })
    whole += node.textContent ?? ''
  }
  return findOccurrences(whole, text).flatMap(([from, to]) => {
    const start = pieces.findLast((piece) => piece.from <= from)
    const end = pieces.findLast((piece) => piece.from < to)
    if (start === undefined || end === undefined) return []
    const range = document.createRange()
    range.setStart(start.node, from - start.from)
    range.setEnd(end.node, to - end.from)
    return [range]
  })
}

import type { TextMatch } from '@troupe/core'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'

/** Match in a message by ordinal, or in one of its tool calls. */
interface FoundMatch {
  messageId: string
  ordinal: number
  toolCallId?: string
  isOnBranch: boolean
}

interface FindState {
  text: string
  /** Null while searching. */
  places: readonly FoundMatch[] | null
  isCut: boolean
  index: number
}

interface FindActions {
  /** Searches for a text and starts at a match in one of the visible messages. */
  look: (text: string, at: { leaf: string | undefined; inSight: readonly string[] }) => Promise<void>
  step: (by: 1 | -1) => void
}

type FindStore = StoreApi<FindState> & FindActions

export function createFindStore(
  sessionId: string,
  services: { api: Pick<Api, 'matches'>; onError: (error: unknown) => void },
): FindStore {
  const store = createStore<FindState>(() => ({ text: '', places: [], isCut: false, index: 0 }))
  let asking: AbortController | undefined

  return { ...store, look, step }

  async function look(text: string, { leaf, inSight }: Parameters<FindActions['look']>[1]): Promise<void> {
    asking?.abort()
    asking = new AbortController()
    const { signal } = asking
    store.setState({ text, places: text.trim() === '' ? [] : null, isCut: false, index: 0 })
    if (text.trim() === '') return
    try {
      const { matches, isCut } = await services.api.matches(sessionId, { text: text.trim(), leaf }, signal)
      if (signal.aborted) return
      const places = toMatches(matches)
      store.setState({ places, isCut, index: nearest(places, inSight) })
    } catch (error) {
      if (signal.aborted) return
      store.setState({ places: [] })
      services.onError(error)
    }
  }

  function step(by: 1 | -1): void {
    store.setState(({ places, index }) => {
      const count = places?.length ?? 0
      return count === 0 ? {} : { index: (index + by + count) % count }
    })
  }
}

function toMatches(matches: readonly TextMatch[]): FoundMatch[] {
  return matches.flatMap(({ messageId, count, calls, isOnBranch }) => {
    const said = Array.from({ length: count }, (_, ordinal): FoundMatch => ({ messageId, ordinal, isOnBranch }))
    const inCalls = calls.map(({ toolCallId, after }) => ({ messageId, ordinal: after, toolCallId, isOnBranch }))
    // A call after n text matches sorts before text match n.
    return [...inCalls, ...said].toSorted((one, other) => one.ordinal - other.ordinal)
  })
}

/** Starts in the visible messages, or else at the newest match on the branch. */
function nearest(places: readonly FoundMatch[], inSight: readonly string[]): number {
  const seen = places.findIndex(({ messageId }) => inSight.includes(messageId))
  if (seen >= 0) return seen
  return Math.max(
    0,
    places.findLastIndex(({ isOnBranch }) => isOnBranch),
  )
}

/** Ignores case, accents and width, as the server does. A line break counts as a space. */
function fold(character: string): string {
  return character
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .toLowerCase()
    .replaceAll(/\s/g, ' ')
}

/** Returns the ranges of the matches in the original text. */
export function findOccurrences(text: string, wanted: string): [from: number, to: number][] {
  const term = Array.from(wanted.trim(), fold).join('')
  if (term === '') return []
  const starts: number[] = []
  let folded = ''
  let at = 0
  for (const character of text) {
    const piece = fold(character)
    for (let i = 0; i < piece.length; i++) starts.push(at)
    folded += piece
    at += character.length
  }
  starts.push(text.length)
  const found: [number, number][] = []
  for (let from = folded.indexOf(term); from !== -1; from = folded.indexOf(term, from + term.length))
    found.push([starts[from] ?? 0, starts[from + term.length] ?? text.length])
  return found
}

/** CSS highlights leave React's DOM untouched. */
const allHighlight = 'found'
const currentHighlight = 'found-here'

/** Rendered range of the current match. `isText` is false if only its card is rendered. */
interface ShownMatch {
  range: Range
  isText: boolean
}

/** Highlights matches in rendered messages. Returns the current match if it is among them. */
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
    for (const card of blocksOf(
      article,
      ':scope > [data-call], :scope > .tool-group > .tool-group-body > [data-call]',
    )) {
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

export function findCard(root: Element, { messageId, toolCallId = '' }: FoundMatch): HTMLElement | null {
  const message = root.querySelector(`[data-message="${CSS.escape(messageId)}"]`)
  const call = `[data-call="${CSS.escape(toolCallId)}"]`
  return (
    message?.querySelector<HTMLElement>(`:scope > ${call}, :scope > .tool-group > .tool-group-body > ${call}`) ?? null
  )
}

/** Opens the group that hides this call, if it is in one. */
export function openGroup(root: Element, { messageId, toolCallId = '' }: FoundMatch): void {
  const group = `[data-message="${CSS.escape(messageId)}"] > .tool-group[data-calls~="${CSS.escape(toolCallId)}"]`
  root.querySelector<HTMLElement>(`${group} > .tool-group-head[aria-expanded="false"]`)?.click()
}

/** Prefers the card's body over its always visible header. A card may show less than the call contains. */
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

/** Skips button labels, except a card's header line. */
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

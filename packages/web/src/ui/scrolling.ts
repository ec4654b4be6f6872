import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** So many rows that come at the end at once are drawn with it. */
const atOnce = 4
/** So near to an end of the list more is asked for. */
const nearEnd = 600
/** Browsers round positions: less than this is no movement. */
const leastMove = 0.1

interface Drawn extends RowWindow {
  ids: string[]
  /** How many there are, drawn or not. */
  count: number
}

/** A row, and where it is in the content that is scrolled. */
interface Anchor {
  row: Element
  top: number
}

interface VirtualListOptions {
  scroller: RefObject<HTMLElement | null>
  /** The height of a row that has not been drawn yet. */
  guess(index: number): number
  /** What is seen first, and how much of it is drawn before anything can be measured. */
  begins: { at: 'start' | 'end'; height: number }
  /** So much is drawn beyond either edge of what is in sight. */
  buffer: number
  /** Whether one is at an end and stays there, whatever comes. Asked before anything is changed. */
  keepsEnd(): boolean
  /** Goes to that end, where it is not the start. */
  toEnd?: () => void
  onScroll?: () => void
  /** The first row is near. */
  onStartNear?: () => void
  /** The last one is. */
  onEndNear?: () => void
  /** The row that is to be brought to the top of what is in sight. */
  target?: string | null
  /** It has been brought there. */
  onTarget?: () => void
}

/**
 * Draws the rows that are in sight and some around them, in the flow of the page, with room for the others above and
 * below. Whatever comes, goes or grows, the first row in sight stays where it is: the room above it, which is a guess,
 * gives way; the position is changed only where that room ends.
 */
export function useVirtualList(ids: string[], options: VirtualListOptions) {
  const {
    scroller,
    guess,
    begins,
    buffer,
    keepsEnd,
    toEnd,
    onScroll,
    onStartNear,
    onEndNear,
    target = null,
    onTarget,
  } = options
  const list = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>(undefined)
  const width = useRef(0)
  const [heights] = useState(() => new Map<string, number>())
  const rows: Rows = {
    count: ids.length,
    heightOf: (index) => heights.get(ids[index] as string) ?? guess(index),
  }
  const first = () => (begins.at === 'end' ? windowAtEnd : windowAtStart)(rows, begins.height)
  const [known, setDrawn] = useState(() => drawnOf(first(), ids))
  let drawn = known
  if (!isOf(known, ids)) {
    drawn = carriedOver(known, ids, rows) ?? drawnOf(first(), ids)
    setDrawn(drawn)
  }
  const targetAt = target === null ? -1 : ids.indexOf(target)
  if (targetAt >= 0 && (targetAt < drawn.from || targetAt >= drawn.to)) {
    drawn = drawnOf(windowAt(rows, targetAt), ids)
    setDrawn(drawn)
  }

  /** Puts everything where it belongs, draws what is missing and lets go of what is far. */
  const settle = useEffectEvent((draw: (work: () => void) => void) => {
    const box = scroller.current
    const content = list.current
    // Nothing has a height in a page that is not shown.
    if (box === null || content === null || box.clientHeight === 0) return
    const keeps = keepsEnd()
    // In another width rows have other heights.
    if (width.current !== box.clientWidth) heights.clear()
    width.current = box.clientWidth
    const shift = holdPlace(box, content, { rows, drawn, anchor: anchor.current })
    const row = content.children[drawn.ids.indexOf(target ?? '')]
    if (row !== undefined) {
      box.scrollTo(0, topIn(box, row))
      onTarget?.()
    } else if (keeps) toEnd?.()
    else if (Math.abs(shift) > leastMove) box.scrollBy(0, shift)
    const seen = look(box, content, drawn.ids)
    anchor.current = seen.anchor
    for (const [id, height] of seen.heights) heights.set(id, height)
    const wanted = { top: seen.top - buffer, bottom: seen.top + box.clientHeight + buffer, spare: buffer }
    const next = moveWindow({ ...drawn, ...seen.room }, rows, wanted)
    if (next.from === drawn.from && next.to === drawn.to) {
      const left = box.scrollHeight - box.clientHeight - box.scrollTop
      if (drawn.from === 0 && box.scrollTop < nearEnd) onStartNear?.()
      if (drawn.to === drawn.count && left < nearEnd) onEndNear?.()
      return
    }
    const hadFocus = content.contains(document.activeElement)
    draw(() => setDrawn(drawnOf(next, ids)))
    const isLost = hadFocus && !content.contains(document.activeElement)
    if (isLost && box.hasAttribute('tabindex')) box.focus({ preventScroll: true })
  })
  const onScrolled = useEffectEvent(() => onScroll?.())

  useLayoutEffect(() => settle((work) => work()), [drawn, buffer, target, ids])
  useEffect(() => {
    const box = scroller.current
    const content = list.current
    if (box === null || content === null) return
    const onMove = () => {
      onScrolled()
      settle(flushSync)
    }
    const resizes = new ResizeObserver(() => settle(flushSync))
    resizes.observe(box)
    resizes.observe(content)
    box.addEventListener('scroll', onMove, { passive: true })
    return () => {
      resizes.disconnect()
      box.removeEventListener('scroll', onMove)
    }
  }, [scroller])
  const { from, to, above, below } = drawn
  return { list, from, to, room: { paddingTop: above, paddingBottom: below } }
}

/**
 * Gives the room above the rows so much that the anchor is where it was; once that is more than there is room, or all
 * rows above are drawn, what it is by all that is known. Returns by how much the position has to change then for the
 * anchor to be seen where it was.
 */
function holdPlace(
  box: Element,
  content: HTMLElement,
  { rows, drawn, anchor }: { rows: Rows; drawn: Drawn; anchor: Anchor | undefined },
): number {
  const first = content.firstElementChild ?? content
  const before = first.getBoundingClientRect().top - content.getBoundingClientRect().top
  const moved = anchor?.row.isConnected === true ? topIn(box, anchor.row) - anchor.top : 0
  const isOut = before - moved < 0 || drawn.from === 0
  const above = isOut ? heightBetween(rows, 0, drawn.from) : before - moved
  if (Math.abs(above - before) > leastMove) content.style.paddingTop = `${above}px`
  return above - (before - moved)
}

/** What the drawn rows take, the room around them, and the first of them that is in sight. */
function look(box: Element, content: Element, ids: string[]) {
  const edge = box.getBoundingClientRect().top
  const places = Array.from(content.children, (row) => ({ row, rect: row.getBoundingClientRect() }))
  const whole = content.getBoundingClientRect()
  const first = places.find(({ rect }) => rect.bottom > edge)
  return {
    heights: ids.map((id, index): [string, number] => [id, places[index]?.rect.height ?? 0]),
    /** Where the top of what is in sight is, in what is drawn. */
    top: edge - whole.top,
    room: {
      above: (places[0]?.rect.top ?? whole.top) - whole.top,
      below: whole.bottom - (places.at(-1)?.rect.bottom ?? whole.bottom),
    },
    anchor: first && { row: first.row, top: topIn(box, first.row) },
  }
}

/** Where a row is in all that is scrolled. */
function topIn(box: Element, row: Element): number {
  return row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop
}

function drawnOf({ from, to, above, below }: RowWindow, ids: string[]): Drawn {
  return { from, to, above: Math.max(0, above), below, ids: ids.slice(from, to), count: ids.length }
}

/** Where one branch has become another, everything from some row on is different. */
function isOf({ count, from, to, ids: drawn }: Drawn, ids: string[]): boolean {
  return count === ids.length && drawn[0] === ids[from] && drawn.at(-1) === ids[to - 1]
}

/** What is drawn of a list that has become another: what was drawn before, as far as it is still there. */
function carriedOver(before: Drawn, ids: string[], rows: Rows): Drawn | undefined {
  const places = new Map(ids.map((id, index) => [id, index]))
  const kept = before.ids.findIndex((id) => places.has(id))
  const from = places.get(before.ids[kept] ?? '')
  if (from === undefined) return undefined
  const size = before.to - before.from - kept + (before.to === before.count ? atOnce : 0)
  const to = Math.min(ids.length, from + size)
  return drawnOf({ from, to, above: before.above, below: heightBetween(rows, to, ids.length) }, ids)
}

/** The rows of a list that are drawn, and the room that stands for the others. */
interface RowWindow {
  from: number
  /** The first one that is not drawn any more. */
  to: number
  above: number
  below: number
}

interface Rows {
  count: number
  /** As measured, or as guessed. */
  heightOf(index: number): number
}

/** The last rows that fill a height. */
export function windowAtEnd(rows: Rows, height: number): RowWindow {
  let from = rows.count
  for (let filled = 0; from > 0 && filled < height;) filled += rows.heightOf(--from)
  return { from, to: rows.count, above: heightBetween(rows, 0, from), below: 0 }
}

/** The first rows that fill a height. */
export function windowAtStart(rows: Rows, height: number): RowWindow {
  let to = 0
  for (let filled = 0; to < rows.count && filled < height;) filled += rows.heightOf(to++)
  return { from: 0, to, above: 0, below: heightBetween(rows, to, rows.count) }
}

/** One row, with room for all the others around it. */
export function windowAt(rows: Rows, index: number): RowWindow {
  const above = heightBetween(rows, 0, index)
  return { from: index, to: index + 1, above, below: heightBetween(rows, index + 1, rows.count) }
}

/**
 * The rows that fill the stretch from `top` to `bottom`. Those that are drawn stay where they are, and stay drawn up to
 * `spare` beyond it, so that who goes to and fro does not draw them again. The room above may come out as less than
 * nothing, where its rows are higher than was guessed.
 */
export function moveWindow(
  { from, to, above, below }: RowWindow,
  rows: Rows,
  { top, bottom, spare }: { top: number; bottom: number; spare: number },
): RowWindow {
  const whole = above + heightBetween(rows, from, to) + below
  let first = from
  let start = above
  while (first > 0 && start > top) start -= rows.heightOf(--first)
  while (first < rows.count - 1 && start + rows.heightOf(first) < top - spare) start += rows.heightOf(first++)
  let last = first
  let end = start
  while (last < rows.count && end < bottom) end += rows.heightOf(last++)
  while (last >= from && last < to && end < bottom + spare) end += rows.heightOf(last++)
  return { from: first, to: last, above: start, below: last === rows.count ? 0 : Math.max(0, whole - end) }
}

function heightBetween({ heightOf }: Rows, from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index++) sum += heightOf(index)
  return sum
}

const near = 48

/** Keeps the end in sight while the content grows, until the person scrolls up; scrolling down to the end sticks again. */
export function useStickToBottom() {
  const scroller = useRef<HTMLDivElement>(null)
  const [stuck, setStuck] = useState(true)
  const sticks = useRef(true)
  const last = useRef({ top: 0, height: 0 })

  const set = useCallback((value: boolean) => {
    sticks.current = value
    setStuck(value)
  }, [])

  const toEnd = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    current.scrollTop = current.scrollHeight
    last.current = { top: current.scrollTop, height: current.scrollHeight }
  }, [])

  const stick = useCallback(() => {
    set(true)
    toEnd()
  }, [set, toEnd])

  const unstick = useCallback(() => set(false), [set])

  const onScroll = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    const { scrollTop, scrollHeight, clientHeight } = current
    const left = scrollHeight - scrollTop - clientHeight
    // What becomes smaller moves up as well, but stays at its end.
    const isUp = scrollTop < last.current.top - 1 && scrollHeight >= last.current.height && left > 1
    if (isUp) set(false)
    else if (left <= near) set(true)
    last.current = { top: scrollTop, height: scrollHeight }
  }, [set])

  /** Whether the end is to be kept in sight. The person may have scrolled since, and nobody has been told yet. */
  const keepsEnd = useCallback(() => {
    onScroll()
    return sticks.current
  }, [onScroll])

  return { scroller, stuck, onScroll, keepsEnd, toEnd, stick, unstick }
}

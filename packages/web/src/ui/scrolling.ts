import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows appended at once that render immediately if the end was rendered. */
const atOnce = 4
/** Distance from an end at which more rows are requested, in pixels. */
const nearEnd = 600
/** Browsers round positions, so ignore smaller movements. */
const leastMove = 0.1

interface Drawn extends RowWindow {
  ids: string[]
  count: number
}

interface Anchor {
  row: Element
  top: number
}

interface VirtualListOptions {
  scroller: RefObject<HTMLElement | null>
  /** Estimated height of a row that has not rendered yet. */
  guess(index: number): number
  /** Initial end, and the height to render before anything is measured. */
  begins: { at: 'start' | 'end'; height: number }
  /** Overscan beyond each edge of the viewport, in pixels. */
  buffer: number
  /** True if the list is at an end and must stay there. Called before any change. */
  keepsEnd(): boolean
  /** Scrolls to that end, unless it is the start. */
  toEnd?: () => void
  onScroll?: () => void
  onStartNear?: () => void
  onEndNear?: () => void
  target?: string | null
  onTarget?: () => void
}

/**
 * Renders the rows in the viewport and some around them, in normal flow, with padding for the rest. The first visible
 * row keeps its position when rows are added, removed or resized. The estimated padding above absorbs changes, and the
 * scroll position changes only if the padding runs out.
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

  /** Restores positions, renders missing rows and drops distant ones. */
  const settle = useEffectEvent((draw: (work: () => void) => void) => {
    const box = scroller.current
    const content = list.current
    // A hidden page has no heights.
    if (box === null || content === null || box.clientHeight === 0) return
    const keeps = keepsEnd()
    // Row heights depend on the width.
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
 * Sets the padding above so that the anchor keeps its position. If that padding would be negative, or all rows above
 * are rendered, uses the known heights. Returns the scroll offset that then keeps the anchor in place.
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

function look(box: Element, content: Element, ids: string[]) {
  const edge = box.getBoundingClientRect().top
  const places = Array.from(content.children, (row) => ({ row, rect: row.getBoundingClientRect() }))
  const whole = content.getBoundingClientRect()
  const first = places.find(({ rect }) => rect.bottom > edge)
  return {
    heights: ids.map((id, index): [string, number] => [id, places[index]?.rect.height ?? 0]),
    /** Top of the viewport relative to the rendered content. */
    top: edge - whole.top,
    room: {
      above: (places[0]?.rect.top ?? whole.top) - whole.top,
      below: whole.bottom - (places.at(-1)?.rect.bottom ?? whole.bottom),
    },
    anchor: first && { row: first.row, top: topIn(box, first.row) },
  }
}

function topIn(box: Element, row: Element): number {
  return row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop
}

function drawnOf({ from, to, above, below }: RowWindow, ids: string[]): Drawn {
  return { from, to, above: Math.max(0, above), below, ids: ids.slice(from, to), count: ids.length }
}

/** After a branch switch, all rows from some point on differ. */
function isOf({ count, from, to, ids: drawn }: Drawn, ids: string[]): boolean {
  return count === ids.length && drawn[0] === ids[from] && drawn.at(-1) === ids[to - 1]
}

/** Keeps the rendered rows that still exist after the list changed. */
function carriedOver(before: Drawn, ids: string[], rows: Rows): Drawn | undefined {
  const places = new Map(ids.map((id, index) => [id, index]))
  const kept = before.ids.findIndex((id) => places.has(id))
  const from = places.get(before.ids[kept] ?? '')
  if (from === undefined) return undefined
  const size = before.to - before.from - kept + (before.to === before.count ? atOnce : 0)
  const to = Math.min(ids.length, from + size)
  return drawnOf({ from, to, above: before.above, below: heightBetween(rows, to, ids.length) }, ids)
}

interface RowWindow {
  from: number
  /** Exclusive. */
  to: number
  above: number
  below: number
}

interface Rows {
  count: number
  /** Measured or estimated height. */
  heightOf(index: number): number
}

export function windowAtEnd(rows: Rows, height: number): RowWindow {
  let from = rows.count
  for (let filled = 0; from > 0 && filled < height;) filled += rows.heightOf(--from)
  return { from, to: rows.count, above: heightBetween(rows, 0, from), below: 0 }
}

export function windowAtStart(rows: Rows, height: number): RowWindow {
  let to = 0
  for (let filled = 0; to < rows.count && filled < height;) filled += rows.heightOf(to++)
  return { from: 0, to, above: 0, below: heightBetween(rows, to, rows.count) }
}

/** Returns one row, with padding for all others. */
export function windowAt(rows: Rows, index: number): RowWindow {
  const above = heightBetween(rows, 0, index)
  return { from: index, to: index + 1, above, below: heightBetween(rows, index + 1, rows.count) }
}

/**
 * Returns the rows that fill the range from `top` to `bottom`. Rendered rows keep their position, and stay rendered up
 * to `spare` beyond the range to avoid re-rendering when scrolling back and forth. The padding above can be negative if
 * its rows are higher than estimated.
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

/** Keeps the end in view while content grows, until the user scrolls up. Scrolling to the end sticks again. */
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
    // Shrinking content also scrolls up, but stays at the end.
    const isUp = scrollTop < last.current.top - 1 && scrollHeight >= last.current.height && left > 1
    if (isUp) set(false)
    else if (left <= near) set(true)
    last.current = { top: scrollTop, height: scrollHeight }
  }, [set])

  /** True if the end must stay in view. Checks first for a scroll that was not reported yet. */
  const keepsEnd = useCallback(() => {
    onScroll()
    return sticks.current
  }, [onScroll])

  return { scroller, stuck, onScroll, keepsEnd, toEnd, stick, unstick }
}

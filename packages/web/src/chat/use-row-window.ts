import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { guessHeight } from './guess-height.ts'
import { heightBetween, moveWindow, windowAt, windowAtEnd } from './row-window.ts'
import type { RowWindow, Rows } from './row-window.ts'
import type { VisibleMessage } from './session-state.ts'

/** What the header and the composer take of the browser's window at least. */
const besides = 120
/** So many messages that come at the end at once are drawn with it. */
const atOnce = 4
/** So near to the first message older ones are asked for. */
const nearTop = 600
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

export interface RowWindowOptions {
  scroller: RefObject<HTMLElement | null>
  /** So much is drawn beyond either edge of what is in sight. */
  buffer: number
  onScroll(isEndDrawn: boolean): void
  keepEnd(): boolean
  /** The first message is near. */
  onTop(): void
  /** The message that is to be brought to the top of what is in sight. */
  target: string | null
  /** It has been brought there. */
  onTarget(): void
}

/**
 * Draws the messages that are in sight and some around them, in the flow of the page, with room for the others above and
 * below. Whatever comes, goes or grows, the first message in sight stays where it is: the room above it, which is a
 * guess, gives way; the position is changed only where that room ends.
 */
export function useRowWindow(messages: VisibleMessage[], options: RowWindowOptions) {
  const { scroller, buffer, onScroll, keepEnd, onTop, target, onTarget } = options
  const list = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>(undefined)
  const [heights] = useState(() => new Map<string, number>())
  const rows: Rows = {
    count: messages.length,
    heightOf(index) {
      const message = messages[index] as VisibleMessage
      return heights.get(message.id) ?? guessHeight(message)
    },
  }
  const [known, setDrawn] = useState(() => drawnOf(windowAtEnd(rows, window.innerHeight - besides), messages))
  let drawn = known
  if (!isOf(known, messages)) {
    drawn = carriedOver(known, messages, rows)
    setDrawn(drawn)
  }
  const targetAt = target === null ? -1 : messages.findIndex(({ id }) => id === target)
  if (targetAt >= 0 && (targetAt < drawn.from || targetAt >= drawn.to)) {
    drawn = drawnOf(windowAt(rows, targetAt), messages)
    setDrawn(drawn)
  }

  /** Puts everything where it belongs, draws what is missing and lets go of what is far. */
  const settle = useEffectEvent((draw: (work: () => void) => void) => {
    const box = scroller.current
    const content = list.current
    // Nothing has a height in a page that is not shown.
    if (box === null || content === null || box.clientHeight === 0) return
    const shift = holdPlace(box, content, { rows, drawn, anchor: anchor.current })
    const row = content.children[drawn.ids.indexOf(target ?? '')]
    if (row !== undefined) {
      box.scrollTo(0, row.getBoundingClientRect().top - originOf(box))
      onTarget()
    } else if (!keepEnd() && Math.abs(shift) > leastMove) box.scrollBy(0, shift)
    const seen = look(box, content, drawn.ids)
    anchor.current = seen.anchor
    for (const [id, height] of seen.heights) heights.set(id, height)
    const top = box.scrollTop - buffer
    const bottom = box.scrollTop + box.clientHeight + buffer
    const next = moveWindow({ ...drawn, ...seen.room }, rows, { top, bottom, spare: buffer })
    if (next.from === drawn.from && next.to === drawn.to) {
      if (drawn.from === 0 && buffer > 0 && box.scrollTop < nearTop) onTop()
      return
    }
    const hadFocus = content.contains(document.activeElement)
    draw(() => setDrawn(drawnOf(next, messages)))
    if (hadFocus && !content.contains(document.activeElement)) box.focus({ preventScroll: true })
  })
  const onScrolled = useEffectEvent(() => onScroll(drawn.to === drawn.count))

  useLayoutEffect(() => settle((work) => work()), [drawn, buffer, target, messages])
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
  return { list, drawn }
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
  const origin = originOf(box)
  const topOf = (row: Element | null) => (row === null ? 0 : row.getBoundingClientRect().top - origin)
  const before = topOf(content.firstElementChild)
  const moved = anchor?.row.isConnected === true ? topOf(anchor.row) - anchor.top : 0
  const isOut = before - moved < 0 || drawn.from === 0
  const above = isOut ? heightBetween(rows, 0, drawn.from) : before - moved
  if (Math.abs(above - before) > leastMove) content.style.paddingTop = `${above}px`
  return above - (before - moved)
}

/** What the drawn rows take, the room around them, and the first of them that is in sight. */
function look(box: Element, content: Element, ids: string[]) {
  const origin = originOf(box)
  const places = Array.from(content.children, (row) => ({ row, rect: row.getBoundingClientRect() }))
  const whole = content.getBoundingClientRect()
  const first = places.find(({ rect }) => rect.bottom - origin > box.scrollTop)
  return {
    heights: ids.map((id, index): [string, number] => [id, places[index]?.rect.height ?? 0]),
    room: {
      above: (places[0]?.rect.top ?? whole.top) - origin,
      below: whole.bottom - (places.at(-1)?.rect.bottom ?? whole.bottom),
    },
    anchor: first && { row: first.row, top: first.rect.top - origin },
  }
}

/** Where what is scrolled begins, as the window sees it. */
function originOf(box: Element): number {
  return box.getBoundingClientRect().top - box.scrollTop
}

function drawnOf({ from, to, above, below }: RowWindow, messages: VisibleMessage[]): Drawn {
  const ids = messages.slice(from, to).map(({ id }) => id)
  return { from, to, above: Math.max(0, above), below, ids, count: messages.length }
}

/** Where one branch has become another, everything from some message on is different. */
function isOf({ count, from, to, ids }: Drawn, messages: VisibleMessage[]): boolean {
  return count === messages.length && ids[0] === messages[from]?.id && ids.at(-1) === messages[to - 1]?.id
}

/** What is drawn of a list that has become another: what was drawn before as far as it is still there, else its end. */
function carriedOver(before: Drawn, messages: VisibleMessage[], rows: Rows): Drawn {
  const places = new Map(messages.map(({ id }, index) => [id, index]))
  const kept = before.ids.findIndex((id) => places.has(id))
  const from = places.get(before.ids[kept] ?? '')
  if (from === undefined) return drawnOf(windowAtEnd(rows, window.innerHeight), messages)
  const size = before.to - before.from - kept + (before.to === before.count ? atOnce : 0)
  const to = Math.min(messages.length, from + size)
  const below = heightBetween(rows, to, messages.length)
  return drawnOf({ from, to, above: before.above, below }, messages)
}

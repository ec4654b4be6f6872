import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

interface TreeWindow {
  from: number
  to: number
  /** Pixels above the first drawn row, and of the whole list. */
  top: number
  height: number
  rowHeight: number
  scrollTo: (index: number) => void
}

/** Rows drawn beyond each edge, so that fast scrolling shows no empty space. */
const overscan = 24

/** Draws the visible rows of a list whose rows are all equally high. Costs the same for ten rows and a million. */
export function useTreeWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  { initialTop, onScroll }: { initialTop: number; onScroll: (top: number) => void },
): TreeWindow {
  const [rowHeight, setRowHeight] = useState(26)
  const [view, setView] = useState({ top: initialTop, height: 800 })

  useLayoutEffect(() => {
    const { current } = scroller
    if (current === null) return
    // The height of a row follows the text size that the user chose.
    const measured = Number.parseFloat(getComputedStyle(current).getPropertyValue('--tree-row-px'))
    const probe = current.querySelector<HTMLElement>('[data-row]')?.offsetHeight
    const height = probe ?? measured
    if (Number.isFinite(height) && height > 0) setRowHeight(height)
    current.scrollTop = initialTop
    const look = () => setView((known) => sameView(known, current))
    const observer = new ResizeObserver(look)
    observer.observe(current)
    look()
    return () => observer.disconnect()
    // Only on mount: later positions are the user's.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [scroller])

  useEffect(() => {
    const { current } = scroller
    const scrolled = () => {
      if (current === null) return
      onScroll(current.scrollTop)
      // In this frame, or the browser shows the gap first.
      flushSync(() => setView((known) => sameView(known, current)))
    }
    current?.addEventListener('scroll', scrolled, { passive: true })
    return () => current?.removeEventListener('scroll', scrolled)
  }, [scroller, onScroll])

  const scrollTo = useCallback(
    (index: number) => {
      const { current } = scroller
      if (current === null || index < 0) return
      const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight]
      if (top < current.scrollTop) current.scrollTop = top
      else if (bottom > current.scrollTop + current.clientHeight) current.scrollTop = bottom - current.clientHeight
    },
    [scroller, rowHeight],
  )

  const first = Math.floor(Math.min(view.top, Math.max(0, count * rowHeight - view.height)) / rowHeight)
  const from = Math.max(0, first - overscan)
  const to = Math.min(count, first + Math.ceil(view.height / rowHeight) + 1 + overscan)
  return { from, to, top: from * rowHeight, height: count * rowHeight, rowHeight, scrollTo }
}

/** The same object if nothing changed, so that nothing is drawn again. */
function sameView(known: { top: number; height: number }, { scrollTop, clientHeight }: HTMLElement) {
  if (known.top === scrollTop && known.height === clientHeight) return known
  return { top: scrollTop, height: clientHeight || known.height }
}

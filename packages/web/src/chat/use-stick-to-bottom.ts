import { useCallback, useLayoutEffect, useRef, useState } from 'react'

const near = 48

/**
 * Keeps the end in sight while the content grows, until the person scrolls up; scrolling down to the end sticks again.
 * Only a movement upwards counts as the person's: growing content never moves the position by itself.
 */
export function useStickToBottom() {
  const scroller = useRef<HTMLDivElement>(null)
  const [stuck, setStuck] = useState(true)
  const sticks = useRef(true)
  const last = useRef(0)

  const set = useCallback((value: boolean) => {
    sticks.current = value
    setStuck(value)
  }, [])

  const toEnd = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    current.scrollTop = current.scrollHeight
    last.current = current.scrollTop
  }, [])

  const stick = useCallback(() => {
    set(true)
    toEnd()
    // The rows that come into sight are measured only then.
    requestAnimationFrame(toEnd)
  }, [set, toEnd])

  const unstick = useCallback(() => set(false), [set])

  const onScroll = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    const { scrollTop, scrollHeight, clientHeight } = current
    if (scrollHeight - scrollTop - clientHeight <= near) set(true)
    else if (scrollTop < last.current - 1) set(false)
    last.current = scrollTop
  }, [set])

  const onResize = useCallback(() => {
    if (sticks.current) toEnd()
  }, [toEnd])

  useLayoutEffect(toEnd, [toEnd])
  return { scroller, stuck, onScroll, onResize, stick, unstick }
}

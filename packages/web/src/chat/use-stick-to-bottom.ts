import { useCallback, useRef, useState } from 'react'

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

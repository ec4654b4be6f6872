import { useCallback, useEffect, useRef, useState } from 'react'

const near = 48
/** So long after a wheel, a touch or a key a movement is still taken for the person's. */
const gestureMs = 1000
const gestures = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

/**
 * Keeps the end in sight while the content grows, until the person scrolls up; scrolling down to the end sticks again.
 * Rows that turn out smaller than was thought move the position up as well: without a gesture that counts as the
 * person's only where the height has stayed as it was.
 */
export function useStickToBottom() {
  const scroller = useRef<HTMLDivElement>(null)
  const [stuck, setStuck] = useState(true)
  const sticks = useRef(true)
  const last = useRef({ top: 0, height: 0 })
  const gestureAt = useRef(-Infinity)

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
    // The rows that come into sight are measured only then.
    requestAnimationFrame(toEnd)
  }, [set, toEnd])

  const unstick = useCallback(() => set(false), [set])

  const onScroll = useCallback(
    (isEndDrawn: boolean) => {
      const { current } = scroller
      if (current === null) return
      const { scrollTop, scrollHeight, clientHeight } = current
      const isPersons = performance.now() - gestureAt.current < gestureMs || scrollHeight === last.current.height
      if (isEndDrawn && scrollHeight - scrollTop - clientHeight <= near) set(true)
      else if (scrollTop < last.current.top - 1 && isPersons) set(false)
      else if (sticks.current && !isPersons) return toEnd()
      last.current = { top: scrollTop, height: scrollHeight }
    },
    [set, toEnd],
  )

  /** To be called when there is more or less; says whether the end is kept in sight. */
  const keepsEnd = useCallback(() => {
    if (sticks.current) toEnd()
    return sticks.current
  }, [toEnd])

  useEffect(() => {
    const { current } = scroller
    const onGesture = () => {
      gestureAt.current = performance.now()
    }
    for (const name of gestures) current?.addEventListener(name, onGesture, { passive: true })
    return () => {
      for (const name of gestures) current?.removeEventListener(name, onGesture)
    }
  }, [])
  return { scroller, stuck, onScroll, keepsEnd, stick, unstick }
}

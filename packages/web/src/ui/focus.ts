import { useEffect, useState } from 'react'

interface ExpectedFocus {
  find: () => Element | null | undefined
  until: number
}

/** Covers a server request and the frame that renders its result. */
const maxWaitMs = 1500
let expected: ExpectedFocus | null = null

/**
 * Declares the next focus target for when the focused element disappears. Looked up until it exists, unless the user
 * moves on.
 */
export function expectFocus(find: ExpectedFocus['find']): void {
  expected = { find, until: performance.now() + maxWaitMs }
}

/** Returns the expected focus target. `waits` is true if it may still appear. */
export function expectedFocus(): { element: Element | null | undefined; waits: boolean } {
  return { element: expected?.find(), waits: expected !== null && performance.now() < expected.until }
}

export function forgetExpectedFocus(): void {
  expected = null
}

/** A background page renders no frames, so fall back to a timer. */
const longestWait = 300

/** Runs the callback after the next paint. Returns a cancel function. */
export function afterPaint(work: () => void): () => void {
  let timer = setTimeout(work, longestWait)
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer)
    timer = setTimeout(work)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** Ref callback that focuses a field on mount. Use it for fields the user just requested. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus()
}

/**
 * Counts now, and again each time the page gets the focus. `isPaused`: the user looks at the counted things, so the
 * count stays. A failed count is 0, since the dialog that shows the things reports errors.
 */
export function useCountOnFocus(read: () => Promise<number>, isPaused: boolean): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (isPaused) return
    const look = () => void read().then(setCount, () => setCount(0))
    look()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [read, isPaused])
  return count
}

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

interface ExpectedFocus {
  find: () => Element | null | undefined
  until: number
}

/** What comes after the server was asked, and after the frame that it is drawn in. */
const maxWaitMs = 1500
let expected: ExpectedFocus | null = null

/** Says where the focus belongs when what has it now goes: looked for until it is there, unless the person goes elsewhere. */
export function expectFocus(find: ExpectedFocus['find']): void {
  expected = { find, until: performance.now() + maxWaitMs }
}

/** What the focus is to go to; `waits`: it is still to come. */
export function expectedFocus(): { element: Element | null | undefined; waits: boolean } {
  return { element: expected?.find(), waits: expected !== null && performance.now() < expected.until }
}

export function forgetExpectedFocus(): void {
  expected = null
}

/** A page in the background draws nothing. */
const longestWait = 300

/** Does it once the frame that is in the making has been shown. Returns how to call it off. */
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

/** As `ref` of a field that a person has just asked for: it takes the focus when it appears. */
export function focusOnMount(field: HTMLElement | null): void {
  field?.focus()
}

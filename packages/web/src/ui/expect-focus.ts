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

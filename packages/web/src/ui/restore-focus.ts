import { afterPaint, expectedFocus, forgetExpectedFocus } from './focus.ts'

interface FocusPlace {
  element: HTMLElement
  /** Enclosing elements with `data-focus-home`, innermost first. */
  homes: FocusHome[]
  /** Enclosing overlay, and the place that had the focus before it. */
  region: Element | null
  before: FocusPlace | null
}

interface FocusHome {
  element: HTMLElement
  /**
   * In order of preference. `index` is the element's position among the matches, so its successor at that position gets
   * the focus.
   */
  choices: { selector: string; index: number }[]
}

/**
 * Never loses the focus. When the focused element is removed or disabled, the focus moves after the next paint to the
 * expected target, or else home.
 *
 * An element with `data-focus-home` lists selectors of its focus targets, best first and separated by `|`. Without any,
 * it takes the focus itself. An element with `data-focus-back` returns the focus to the element that had it before.
 *
 * A click on empty space drops the focus on purpose. A field that would open an on-screen keyboard never gets the
 * focus. `pressed` is the element pressed before this module loaded.
 */
export function restoreLostFocus(pressed: EventTarget | null): () => void {
  const listening = new AbortController()
  let place = firstPlace(pressed)
  let isPointed = false
  let callOff: (() => void) | null = null

  const look = () => {
    if (callOff === null && place !== null && isLost()) callOff = afterPaint(restore)
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'inert', 'hidden'],
  })
  const hear = <Name extends keyof DocumentEventMap>(name: Name, listener: (event: DocumentEventMap[Name]) => void) =>
    document.addEventListener(name, listener, { capture: true, signal: listening.signal })
  hear('focusin', ({ target }) => {
    forgetExpectedFocus()
    if (target instanceof HTMLElement) place = focusPlace(target, place)
  })
  hear('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== null) return
    if (isPointed) place = null
    look()
    // The event fires before the focus has moved.
    setTimeout(look)
  })
  // A click takes effect after the button is released.
  hear('mousedown', () => (isPointed = true))
  hear('mouseup', () => (isPointed = false))
  hear('keydown', () => (isPointed = false))
  window.addEventListener('focus', look, { signal: listening.signal })
  look()
  return () => {
    listening.abort()
    observer.disconnect()
    callOff?.()
  }

  function restore(): void {
    callOff = null
    // If the focus is in another window or the browser's toolbar, wait for its return.
    if (place === null || !isLost() || !document.hasFocus()) return
    const { element, waits } = expectedFocus()
    if (tryFocus(element)) return
    if (waits) callOff = afterPaint(restore)
    else if (!focusNearestHome(place)) place = null
  }
}

function isLost(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body || activeElement.matches(':disabled')
}

function firstPlace(pressed: EventTarget | null): FocusPlace | null {
  const isGone = isLost() && pressed instanceof Element && !pressed.isConnected
  const element = isGone ? document.querySelector('.chat') : document.activeElement
  return element instanceof HTMLElement && element !== document.body ? focusPlace(element, null) : null
}

function focusPlace(element: HTMLElement, last: FocusPlace | null): FocusPlace {
  const homes: FocusHome[] = []
  const region = element.closest('[data-focus-back], [data-radix-popper-content-wrapper]')
  // Out of an overlay, the focus goes back, not to what is around the overlay.
  const end = region?.parentElement ?? null
  for (let around: HTMLElement | null = element; around !== end && around !== null; around = around.parentElement) {
    const { focusHome } = around.dataset
    if (focusHome !== undefined) homes.push({ element: around, choices: choicesIn(around, focusHome, element) })
  }
  const before = region === null ? null : region === last?.region ? last.before : last
  return { element, homes, region, before }
}

function choicesIn(home: HTMLElement, named: string, element: HTMLElement): FocusHome['choices'] {
  return named.split('|').map((one) => {
    const selector = one.trim()
    if (selector === '') return { selector, index: 0 }
    const isBefore = (other: Element) =>
      (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 || other === element
    return { selector, index: [...home.querySelectorAll(selector)].filter(isBefore).length - 1 }
  })
}

function focusNearestHome(place: FocusPlace): boolean {
  for (let at: FocusPlace | null = place; at !== null; at = at.before) {
    // A moved element also loses the focus, so try it first.
    if (tryFocus(at.element, true)) return true
    for (const { element, choices } of at.homes) {
      if (!element.isConnected) continue
      for (const { selector, index } of choices) {
        const fitting = selector === '' ? [element] : [...element.querySelectorAll(selector)]
        if (tryFocus(fitting[Math.min(Math.max(index, 0), fitting.length - 1)])) return true
      }
    }
  }
  return false
}

function tryFocus(element: Element | null | undefined, hadIt = false): boolean {
  if (!(element instanceof HTMLElement) || !element.isConnected || element.matches(':disabled')) return false
  if (!hadIt && element.matches('textarea, input, [contenteditable]') && hasScreenKeyboard()) return false
  element.focus()
  return document.activeElement === element
}

export function hasScreenKeyboard(): boolean {
  return window.matchMedia('(pointer: coarse)').matches
}

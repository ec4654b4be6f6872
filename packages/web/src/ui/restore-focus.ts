import { afterPaint, expectedFocus, forgetExpectedFocus } from './focus.ts'

/** Where the focus is, and where it goes once that is gone. */
interface FocusPlace {
  element: HTMLElement
  /** Those around it that say who takes the focus, the innermost first. */
  homes: FocusHome[]
  /** What is open over the page, or stands in a corner of it, and what had the focus before that. */
  region: Element | null
  before: FocusPlace | null
}

interface FocusHome {
  element: HTMLElement
  /** The best first; `index`: how many that fit stood before the place, and so which of them comes to stand there. */
  choices: { selector: string; index: number }[]
}

/**
 * The focus is never lost. When what has it is removed or disabled, it goes, after the frame, to where it was expected,
 * or home: an element with `data-focus-home` names who in it takes the focus, by selectors divided by `|`, the best
 * first; without any it does so itself. What stands in `data-focus-back` gives the focus back to what had it before.
 * Who clicks beside everything has left on purpose, and no field takes the focus where that would open a keyboard.
 * `pressed`: what was pressed before this was loaded.
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
    // It is told before the focus has gone.
    setTimeout(look)
  })
  // What a click does comes after the button was let go.
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
    // Who has gone to another window, or to the bar of the browser, comes back first.
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
  for (let around: HTMLElement | null = element; around !== null; around = around.parentElement) {
    const { focusHome } = around.dataset
    if (focusHome !== undefined) homes.push({ element: around, choices: choicesIn(around, focusHome, element) })
  }
  const region = element.closest('[data-focus-back], [data-radix-popper-content-wrapper]')
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
    // It may only have been moved, and then it has lost the focus as well.
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

function hasScreenKeyboard(): boolean {
  return window.matchMedia('(pointer: coarse)').matches
}

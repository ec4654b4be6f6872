import type { KeyboardEvent, MouseEvent } from 'react'

/** Minimum time in view before a shortcut can decide, in milliseconds. */
const readingTime = 500

/**
 * Approves or denies the focused ask, or else the visible one. If several are visible, focuses the first, to show which
 * one the next press decides.
 */
export function decideVisibleAsk(decision: Decision): void {
  const asks = [...document.querySelectorAll<HTMLElement>('.chat .approval')].filter(isInViewport)
  const chosen = asks.find((ask) => ask.contains(document.activeElement))
  const ask = chosen ?? asks[0]
  if (ask === undefined) return
  if (chosen === undefined && asks.length > 1) return ask.focus()
  decide(ask, decision)
}

type Decision = 'approve' | 'remember' | 'deny'

/** True if an ask has been in view for so short a time that a key or click was not meant for it. */
function isTooNew(ask: HTMLElement): boolean {
  return performance.now() - Number(ask.dataset['since']) < readingTime
}

/** Ignores clicks on an ask that has just taken the place of another, so nobody answers the wrong one. */
export function ignoreEarlyClick(event: MouseEvent<HTMLElement>): void {
  const ask = event.currentTarget.querySelector<HTMLElement>('.approval')
  // Keyboard clicks have no pointer.
  if (event.detail === 0 || ask === null || !isTooNew(ask)) return
  event.preventDefault()
  event.stopPropagation()
}

function decide(ask: HTMLElement, decision: Decision): void {
  if (isTooNew(ask)) return
  ask.querySelector<HTMLElement>(`[data-decision=${decision}]`)?.click()
}

const decisionKeys: Record<string, Decision> = { 1: 'approve', 2: 'remember', 3: 'deny', Escape: 'deny' }

/** Decides an ask that has the focus with a single key. In a field the key is text. */
export function decideByKey(event: KeyboardEvent, ask: HTMLElement): void {
  const { target, key, ctrlKey, metaKey, altKey, nativeEvent } = event
  const decision = decisionKeys[key]
  if (decision === undefined || ctrlKey || metaKey || altKey || nativeEvent.isComposing) return
  // Events of a menu bubble here, though it is elsewhere in the document.
  if (!ask.contains(target as Node) || (target as Element).matches('input, textarea, select')) return
  // There, Escape closes the dialog.
  if (key === 'Escape' && ask.closest('dialog') !== null) return
  event.preventDefault()
  event.stopPropagation()
  decide(ask, decision)
}

/** Decides the visible ask from anywhere else in the chat, such as the conversation. In a field the key is text. */
export function decideInChat(event: KeyboardEvent<HTMLElement>): void {
  const { target, key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  const decision = key === 'Escape' ? undefined : decisionKeys[key]
  if (decision === undefined || ctrlKey || metaKey || altKey || defaultPrevented || event.repeat) return
  // Events of menus and dialogs bubble here, though they are elsewhere in the document.
  if (!event.currentTarget.contains(target as Node)) return
  if ((target as Element).closest('input, textarea, select, [contenteditable], dialog') !== null) return
  event.preventDefault()
  decideVisibleAsk(decision)
}

/** Decides the ask that a review shows, wherever the focus is in it. There, Escape closes the dialog. */
export function decideInReview(event: KeyboardEvent<HTMLElement>): void {
  const ask = event.currentTarget.querySelector<HTMLElement>('.approval')
  const decision = event.key === 'Escape' ? undefined : decisionKeys[event.key]
  if (ask === null || decision === undefined || event.defaultPrevented) return
  event.preventDefault()
  decide(ask, decision)
}

/** Ref callback. Records since when an ask is in view, because one further down may appear only now. */
export function trackVisibleSince(ask: HTMLElement | null): (() => void) | undefined {
  if (ask === null) return undefined
  const note = (isInSight: boolean) => {
    ask.dataset['since'] = String(isInSight ? performance.now() : Infinity)
  }
  note(false)
  const observer = new IntersectionObserver((entries) => note(entries.at(-1)?.isIntersecting === true))
  observer.observe(ask)
  return () => observer.disconnect()
}

function isInViewport(ask: HTMLElement): boolean {
  const { top, bottom } = ask.getBoundingClientRect()
  return top < window.innerHeight && bottom > 0
}

/** Minimum time in view before a shortcut can decide, in milliseconds. */
const readingTime = 500

/**
 * Approves or denies the focused ask, or else the visible one. If several are visible, focuses the first, to show which
 * one the next press decides.
 */
export function decideVisibleAsk(decision: 'approve' | 'deny'): void {
  const asks = [...document.querySelectorAll<HTMLElement>('.chat .approval')].filter(isInViewport)
  const chosen = asks.find((ask) => ask.contains(document.activeElement))
  const ask = chosen ?? asks[0]
  if (ask === undefined) return
  if (chosen === undefined && asks.length > 1) return ask.focus()
  if (performance.now() - Number(ask.dataset['since']) < readingTime) return
  ask.querySelector<HTMLElement>(`[data-decision=${decision}]`)?.click()
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

/** Nobody has read what has just come. */
const readingTime = 500

/**
 * Approves or denies what is asked in the chat: the ask that has the focus, else the one that is in sight. Where several
 * are in sight the first takes the focus, so that it is seen which one the next press is for.
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

/** As `ref` of an ask: keeps since when it is in sight, which one that waited further down may be only now. */
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

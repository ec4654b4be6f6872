/** Nobody has read what has just come. */
const readingTime = 500

/**
 * Approves or denies what is asked in the chat: the ask that has the focus, else the one that is in sight. Where several
 * are in sight the first takes the focus, so that it is seen which one the next press is for.
 */
export function decideAsk(decision: 'approve' | 'deny'): void {
  const asks = [...document.querySelectorAll<HTMLElement>('.chat .approval')].filter(isInSight)
  const chosen = asks.find((ask) => ask.contains(document.activeElement))
  const ask = chosen ?? asks[0]
  if (ask === undefined) return
  if (chosen === undefined && asks.length > 1) return ask.focus()
  if (performance.now() - Number(ask.dataset['since']) < readingTime) return
  ask.querySelector<HTMLElement>(`[data-decision=${decision}]`)?.click()
}

/** As `ref` of an ask. */
export function noteSince(ask: HTMLElement | null): void {
  if (ask !== null) ask.dataset['since'] = String(performance.now())
}

function isInSight(ask: HTMLElement): boolean {
  const { top, bottom } = ask.getBoundingClientRect()
  return top < window.innerHeight && bottom > 0
}

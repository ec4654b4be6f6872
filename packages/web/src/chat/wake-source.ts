import type { WakeSource } from './follow-run.ts'

const shortAbsence = 5_000

/**
 * A page that was hidden or offline may hold a socket that is dead without knowing it: when it is seen again, or the
 * network comes back, it looks again. A glance at another tab does not count.
 */
export const pageWakeSource: WakeSource = (onWake) => {
  let hiddenAt: number | undefined = document.visibilityState === 'hidden' ? Date.now() : undefined
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') {
      hiddenAt = Date.now()
      return
    }
    if (hiddenAt !== undefined && Date.now() - hiddenAt > shortAbsence) onWake()
    hiddenAt = undefined
  }
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) onWake()
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('pageshow', onShow)
  window.addEventListener('online', onWake)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('pageshow', onShow)
    window.removeEventListener('online', onWake)
  }
}

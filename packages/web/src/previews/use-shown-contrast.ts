import { useSyncExternalStore } from 'react'

/** Whether the page shows stronger text and lines, by the person's choice or the system's. */
export function useActiveContrast(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const observer = new MutationObserver(listener)
      observer.observe(document.documentElement, { attributeFilter: ['data-contrast'] })
      return () => observer.disconnect()
    },
    () => document.documentElement.dataset['contrast'] === 'more',
  )
}

import { useSyncExternalStore } from 'react'

/** Below this the sessions, the session and a panel do not fit beside each other. */
export function isNarrowForPanels(): boolean {
  return narrowQuery().matches
}

export function useNarrowForPanels(): boolean {
  return useSyncExternalStore(onNarrow, isNarrowForPanels)
}

function narrowQuery(): MediaQueryList {
  return window.matchMedia('(max-width: 1099px)')
}

function onNarrow(listener: () => void): () => void {
  const media = narrowQuery()
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}

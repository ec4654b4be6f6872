import { useSyncExternalStore } from 'react'

type SessionMenuModule = typeof import('./session-menu.tsx')

let loaded: SessionMenuModule | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()

/** What can be done with sessions, once somebody comes near: the first load does without it. */
export function useSessionMenu(): SessionMenuModule | undefined {
  return useSyncExternalStore(subscribe, () => loaded)
}

/** For a row that the pointer or the focus has come to. */
export function loadSessionMenu(): void {
  loading ??= import('./session-menu.tsx').then(
    (module) => {
      loaded = module
      for (const listener of listeners) listener()
    },
    // Without the server it is tried again the next time.
    () => void (loading = undefined),
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

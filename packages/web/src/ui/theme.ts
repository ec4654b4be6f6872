import { useSyncExternalStore } from 'react'
import { keptByBrowser } from '../api/kept.ts'

export type Theme = 'system' | 'light' | 'dark'

const key = 'troupe.theme'
const listeners = new Set<() => void>()

function readTheme(): Theme {
  const kept = keptByBrowser.get(key)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** The system's by default; a choice is remembered. `public/theme.js` applies it before the first paint. */
export function setTheme(theme: Theme): void {
  keptByBrowser.set(key, theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readTheme)
}

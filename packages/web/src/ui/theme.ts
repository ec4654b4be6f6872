import { useSyncExternalStore } from 'react'
import { browserStorage } from '../api/kept.ts'

export type Theme = 'system' | 'light' | 'dark'

const themeKey = 'troupe.theme'
const themeListeners = new Set<() => void>()

function readTheme(): Theme {
  const kept = browserStorage.get(themeKey)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** The system's by default; a choice is remembered. `public/theme.js` applies it before the first paint. */
export function setTheme(theme: Theme): void {
  browserStorage.set(themeKey, theme === 'system' ? null : theme)
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const listener of themeListeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    themeListeners.add(listener)
    return () => themeListeners.delete(listener)
  }, readTheme)
}

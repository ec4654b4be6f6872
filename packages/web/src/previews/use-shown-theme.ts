import { useSyncExternalStore } from 'react'
import { useTheme } from '../ui/theme.ts'

/** What the eye sees: the chosen theme, or the system's. */
export function useActiveTheme(): 'light' | 'dark' {
  const theme = useTheme()
  const dark = useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia('(prefers-color-scheme: dark)')
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => window.matchMedia('(prefers-color-scheme: dark)').matches,
  )
  return theme === 'light' || theme === 'dark' ? theme : dark ? 'dark' : 'light'
}

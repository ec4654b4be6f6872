import echarts from 'echarts/dist/echarts.min.js?url'
import { useSyncExternalStore } from 'react'
import mermaid from 'virtual:mermaid'
import page from 'virtual:page-runtime'
import { useTheme } from '../ui/appearance.ts'

const addresses = { echarts, mermaid, page }
const loaded = new Map<string, Promise<string>>()

/** Loads a library's source for the sandboxed frame. The page itself never runs it. */
export function loadLibrary(name: keyof typeof addresses): Promise<string> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const loading = fetch(addresses[name]).then((response) => {
    if (!response.ok) throw new Error(`The server returned ${response.status}.`)
    return response.text()
  })
  loaded.set(name, loading)
  // The next call retries.
  loading.catch(() => loaded.delete(name))
  return loading
}

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

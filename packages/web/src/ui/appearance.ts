import { useSyncExternalStore } from 'react'
import { keptByBrowser } from '../api/kept.ts'

/** How the page looks, beyond light and dark. The first of each follows the system, or is how it was drawn. */
export const appearance = {
  contrast: ['system', 'more', 'normal'],
  motion: ['system', 'reduced', 'full'],
  text: ['normal', 'small', 'large', 'huge'],
} as const
export type Look = keyof typeof appearance
export type LookValue<Name extends Look> = (typeof appearance)[Name][number]

const listeners = new Set<() => void>()

export function readLook<Name extends Look>(name: Name): LookValue<Name> {
  const kept = keptByBrowser.get(`troupe.${name}`)
  const values: readonly string[] = appearance[name]
  return (kept !== null && values.includes(kept) ? kept : appearance[name][0]) as LookValue<Name>
}

/**
 * `styles/` goes by the attribute; `public/theme.js` sets it before the first paint, and follows the system where that is
 * to be followed.
 */
export function setLook<Name extends Look>(name: Name, value: LookValue<Name>): void {
  const isDefault = value === appearance[name][0]
  keptByBrowser.set(`troupe.${name}`, isDefault ? null : value)
  const shown = isDefault ? (name === 'contrast' && wantsContrast() ? 'more' : undefined) : value
  if (shown === undefined) delete document.documentElement.dataset[name]
  else document.documentElement.dataset[name] = shown
  for (const listener of listeners) listener()
}

/** The same question as in `public/theme.js`. */
function wantsContrast(): boolean {
  return window.matchMedia('(prefers-contrast: more), (forced-colors: active)').matches
}

export function useLook<Name extends Look>(name: Name): LookValue<Name> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readLook(name),
  )
}

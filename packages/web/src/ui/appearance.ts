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

/** `styles/` goes by the attribute; `public/theme.js` sets it before the first paint. */
export function setLook<Name extends Look>(name: Name, value: LookValue<Name>): void {
  const isDefault = value === appearance[name][0]
  keptByBrowser.set(`troupe.${name}`, isDefault ? null : value)
  if (isDefault) delete document.documentElement.dataset[name]
  else document.documentElement.dataset[name] = value
  for (const listener of listeners) listener()
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

import { useSyncExternalStore } from 'react'
import { browserStorage } from '../platform/storage.ts'

/**
 * Appearance options besides the theme. The first value of each is the default: the system's setting, or the original
 * design.
 */
const appearanceOptions = {
  contrast: ['system', 'more', 'normal'],
  motion: ['system', 'reduced', 'full'],
  text: ['normal', 'small', 'large', 'huge'],
} as const
type AppearanceOption = keyof typeof appearanceOptions
type AppearanceValue<Name extends AppearanceOption> = (typeof appearanceOptions)[Name][number]

const listeners = new Set<() => void>()

function readAppearance<Name extends AppearanceOption>(name: Name): AppearanceValue<Name> {
  const kept = browserStorage.get(`troupe.${name}`)
  const values: readonly string[] = appearanceOptions[name]
  return (kept !== null && values.includes(kept) ? kept : appearanceOptions[name][0]) as AppearanceValue<Name>
}

/**
 * Sets the attribute that the stylesheets use. `public/theme.js` sets it before the first paint and follows system
 * changes.
 */
export function setAppearance<Name extends AppearanceOption>(name: Name, value: AppearanceValue<Name>): void {
  const isDefault = value === appearanceOptions[name][0]
  browserStorage.set(`troupe.${name}`, isDefault ? null : value)
  const shown = isDefault ? (name === 'contrast' && wantsContrast() ? 'more' : undefined) : value
  if (shown === undefined) delete document.documentElement.dataset[name]
  else document.documentElement.dataset[name] = shown
  for (const listener of listeners) listener()
}

/** Same query as in `public/theme.js`. */
function wantsContrast(): boolean {
  return window.matchMedia('(prefers-contrast: more), (forced-colors: active)').matches
}

export function useAppearance<Name extends AppearanceOption>(name: Name): AppearanceValue<Name> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readAppearance(name),
  )
}

type Theme = 'system' | 'light' | 'dark'

const themeKey = 'troupe.theme'
const themeListeners = new Set<() => void>()

function readTheme(): Theme {
  const kept = browserStorage.get(themeKey)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Defaults to the system's theme and stores the choice. `public/theme.js` applies it before the first paint. */
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

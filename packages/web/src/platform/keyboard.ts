/** Key combination such as `Mod+Shift+O`. `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export type Keys = string

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export const isMac = (userAgent = globalThis.navigator?.userAgent ?? ''): boolean => /Mac|iPhone|iPad/.test(userAgent)

/**
 * True if the event matches. A character that needs Shift, such as `?`, matches by itself. On a Mac, Alt types other
 * characters.
 */
export function isPressed(keys: Keys, event: KeyPress): boolean {
  const parts = keys.split('+')
  const key = parts.at(-1) ?? ''
  const isKey = event.key.toLowerCase() === key.toLowerCase()
  if (!isKey && !(parts.includes('Alt') && event.code === `Key${key}`)) return false
  if ((event.ctrlKey || event.metaKey) !== parts.includes('Mod') || event.altKey !== parts.includes('Alt')) return false
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key)
  return isSign || event.shiftKey === parts.includes('Shift')
}

export function keyNames(keys: Keys, mac = isMac()): string[] {
  const names: Record<string, string> = mac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↩', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }
    : { Mod: 'Ctrl', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }
  return keys.split('+').map((key) => names[key] ?? key)
}

/** The keys as text: `Ctrl+Enter`, or `⌘↩` on a Mac. */
export function keyText(keys: Keys, mac = isMac()): string {
  return keyNames(keys, mac).join(mac ? '' : '+')
}

let isMovingFocus = false

/** Tracks the keys that move the focus. Call once per page. */
export function trackFocusKeys(): void {
  window.addEventListener(
    'keydown',
    ({ key, ctrlKey, metaKey, altKey }) => {
      if (ctrlKey || metaKey || altKey || !/^(?:Tab|Arrow|Home$|End$|Page)/.test(key)) return
      isMovingFocus = true
      // The browser moves the focus in the same task.
      setTimeout(() => void (isMovingFocus = false))
    },
    true,
  )
}

/** True if the user moves the focus with the keyboard right now. False if code gives it back, for example. */
export function isFocusMovedByKey(): boolean {
  return isMovingFocus
}

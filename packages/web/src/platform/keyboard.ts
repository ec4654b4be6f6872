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

let lastInput: 'key' | 'pointer' = 'pointer'

/** Tracks the last input method. Call once per page. */
export function trackInputMethod(): void {
  window.addEventListener('keydown', () => void (lastInput = 'key'), true)
  window.addEventListener('pointerdown', () => void (lastInput = 'pointer'), true)
}

/** True if the current event probably comes from the keyboard. */
export function isKeyboardInput(): boolean {
  return lastInput === 'key'
}

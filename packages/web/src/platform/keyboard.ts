/** A key with what is held down, as `Mod+Shift+O`; `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export type Keys = string

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export const isMac = (userAgent = globalThis.navigator?.userAgent ?? ''): boolean => /Mac|iPhone|iPad/.test(userAgent)

/** Whether this press is that one. A character that needs Shift, such as `?`, is known by itself; a Mac has others with Alt. */
export function isPressed(keys: Keys, event: KeyPress): boolean {
  const parts = keys.split('+')
  const key = parts.at(-1) ?? ''
  const isKey = event.key.toLowerCase() === key.toLowerCase()
  if (!isKey && !(parts.includes('Alt') && event.code === `Key${key}`)) return false
  if ((event.ctrlKey || event.metaKey) !== parts.includes('Mod') || event.altKey !== parts.includes('Alt')) return false
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key)
  return isSign || event.shiftKey === parts.includes('Shift')
}

/** How the keys are called on this machine, one by one. */
export function keyNames(keys: Keys, mac = isMac()): string[] {
  const names: Record<string, string> = mac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↩', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }
    : { Mod: 'Ctrl', Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' }
  return keys.split('+').map((key) => names[key] ?? key)
}

let lastInput: 'key' | 'pointer' = 'pointer'

/** Keeps in mind what the person last used. Once for the page. */
export function trackInputMethod(): void {
  window.addEventListener('keydown', () => void (lastInput = 'key'), true)
  window.addEventListener('pointerdown', () => void (lastInput = 'pointer'), true)
}

/** Whether what happens now comes of a key, as far as that can be told. */
export function isKeyboardInput(): boolean {
  return lastInput === 'key'
}

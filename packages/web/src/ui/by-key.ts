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

let last: 'key' | 'pointer' = 'pointer'

/** Keeps in mind what the person last used. Once for the page. */
export function watchInput(): void {
  window.addEventListener('keydown', () => void (last = 'key'), true)
  window.addEventListener('pointerdown', () => void (last = 'pointer'), true)
}

/** Whether what happens now comes of a key, as far as that can be told. */
export function isByKey(): boolean {
  return last === 'key'
}

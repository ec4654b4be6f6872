import { useEffect } from 'react'
import { useWorkspace } from '../workspace.ts'
import { keepsSigns } from './kept-signs.ts'
import { isPressed } from './keys.ts'
import { shortcuts } from './shortcuts.ts'

/** Hears the shortcuts that work everywhere. A sign alone is text where text is typed, and nothing while a dialog is open. */
export function useShortcuts(): void {
  const workspace = useWorkspace()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const { access, dialog } = workspace.app.getState()
      if (access !== 'open') return
      const found = shortcuts.find(({ run, keys }) => run !== undefined && isPressed(keys, event))
      if (found === undefined) return
      const isSign = !found.keys.includes('Mod')
      if (isSign && !keepsSigns()) return
      if (isSign && (dialog !== null || isTyping(event.target) || document.querySelector('dialog[open]') !== null))
        return
      event.preventDefault()
      found.run?.(workspace)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [workspace])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|range)$/.test(target.type)
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

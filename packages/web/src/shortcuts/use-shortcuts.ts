import { useEffect } from 'react'
import { useWorkspace } from '../workspace.ts'
import { areSingleKeysEnabled } from './kept-signs.ts'
import { isPressed } from './keys.ts'
import { shortcuts } from './shortcuts.ts'

/** Hears the shortcuts that work everywhere: behind a dialog none of them does anything but those that belong to it. */
export function useShortcuts(): void {
  const workspace = useWorkspace()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const { access, dialog } = workspace.app.getState()
      if (access !== 'open') return
      const found = shortcuts.find(({ run, keys }) => run !== undefined && isPressed(keys, event))
      if (found === undefined) return
      const isSign = found.keys.length === 1
      if (isSign && !areSingleKeysEnabled()) return
      if ((isSign || found.notInText === true) && isTyping(event.target)) return
      // With Alt they open what can be chosen there.
      if (event.target instanceof HTMLSelectElement && event.key.startsWith('Arrow')) return
      const over = [...document.querySelectorAll('dialog:modal')].at(-1)
      const isCovered = dialog !== null || over !== undefined
      if (isSign && isCovered) return
      event.preventDefault()
      const isOfDialog = found.within !== undefined && over?.matches(found.within) === true
      if (!event.repeat && (!isCovered || isOfDialog)) found.run?.(workspace)
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

import type { Ask } from '@troupe/core'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** The focus stays in the list: what was answered and is gone hands it on to what has come into its place. */
export function useFocusedAsk(body: RefObject<HTMLElement | null>, asks: readonly Ask[]): void {
  const focused = useRef<{ id: string; index: number } | null>(null)
  useLayoutEffect(() => {
    const list = body.current
    const note = (event: FocusEvent) => {
      const id = (event.target as Element).closest<HTMLElement>('[data-ask]')?.dataset['ask']
      if (id === undefined) return
      focused.current = { id, index: entriesIn(list).findIndex((entry) => entry.dataset['ask'] === id) }
    }
    const forget = (event: FocusEvent) => {
      // Towards somewhere else by the person; a control that is gone or disabled loses it towards nowhere.
      if (event.relatedTarget !== null && !list?.contains(event.relatedTarget as Node)) focused.current = null
    }
    list?.addEventListener('focusin', note)
    list?.addEventListener('focusout', forget)
    return () => {
      list?.removeEventListener('focusin', note)
      list?.removeEventListener('focusout', forget)
    }
  }, [body])
  useLayoutEffect(() => {
    const { current: before } = focused
    const entries = entriesIn(body.current)
    if (before === null || entries.some((entry) => entry.dataset['ask'] === before.id)) return
    entries[Math.min(before.index, entries.length - 1)]?.focus()
  }, [body, asks])
  // The dialog itself gives the focus to its first button. It is open by the time that effects of its parent run.
  useEffect(() => entriesIn(body.current)[0]?.focus(), [body])
}

function entriesIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-ask]') ?? [])]
}

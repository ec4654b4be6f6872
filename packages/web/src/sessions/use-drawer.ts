import { useEffect } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useWorkspace } from '../workspace.ts'

/**
 * Where the list of sessions is a drawer over the chat it takes the focus when it opens, closes on Escape as all that
 * stands over the chat does, and then gives the focus to the button that opens it.
 */
export function useDrawer(nav: RefObject<HTMLElement | null>, open: boolean): void {
  const { app } = useWorkspace()
  useEffect(() => {
    const { current } = nav
    if (!open || current === null || !isDrawer()) return
    if (!current.contains(document.activeElement)) current.focus()
    const onKey = (event: KeyboardEvent) => {
      const { target, key, defaultPrevented } = event
      const isHere = target === document.body || (target instanceof Node && current.contains(target))
      if (key !== 'Escape' || defaultPrevented || !isHere || !isDrawer()) return
      event.preventDefault()
      flushSync(() => app.setSidebar(false))
      document.querySelector<HTMLElement>('.header-sessions')?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [app, nav, open])
}

/** The width below which `sidebar.css` makes it one. */
function isDrawer(): boolean {
  return window.matchMedia('(max-width: 760px)').matches
}

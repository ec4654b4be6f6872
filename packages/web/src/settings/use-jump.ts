import { useEffect } from 'react'
import type { RefObject } from 'react'

const focusable =
  // A selector, not shown.
  'input:checked, button:not([disabled]), a[href], input:not([disabled]), select, textarea, summary, [tabindex]'
/** What the server has to be asked for may take a while. */
const maxWaitMs = 8000

/** Brings a setting into sight and gives it the focus, as soon as it is there. */
export function useScrollToSetting(pane: RefObject<HTMLElement | null>, at: string): void {
  useEffect(() => {
    const [, ...rest] = at.split('/')
    const id = rest.join('/')
    const { current } = pane
    if (id === '' || current === null) return
    const jump = (): boolean => {
      const element = current.querySelector<HTMLElement>(`[data-setting="${CSS.escape(id)}"]`)
      if (element === null) return false
      observer.disconnect()
      if (element instanceof HTMLDetailsElement) element.open = true
      element.scrollIntoView({ block: 'center' })
      const target = element.matches(focusable) ? element : element.querySelector<HTMLElement>(focusable)
      if (target === null) element.tabIndex = -1
      ;(target ?? element).focus({ preventScroll: true })
      element.classList.add('setting-found')
      return true
    }
    const observer = new MutationObserver(jump)
    if (jump()) return
    observer.observe(current, { childList: true, subtree: true })
    const timer = setTimeout(() => observer.disconnect(), maxWaitMs)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [pane, at])
}

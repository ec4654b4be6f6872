import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../chat/session-context.ts'
import { onFind } from './open-find.ts'

const FindBar = lazy(() => import('./find-bar.tsx').then((module) => ({ default: module.FindBar })))

/** Ctrl+F or ⌘F looks for words in the session. What had the focus before has it again when the search is over. */
export function Find() {
  const isEmpty = useSession((state) => state.messages.length === 0)
  const [asked, setAsked] = useState(0)
  const before = useRef<Element | null>(null)
  const open = useCallback(() => {
    if (document.querySelector('dialog[open]') !== null) return false
    setAsked((count) => {
      if (count === 0) before.current = document.activeElement
      return count + 1
    })
    return true
  }, [])
  useEffect(() => {
    if (isEmpty) return
    const onKey = (event: KeyboardEvent) => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)
      // Once more in the field, and the browser's own search comes.
      const isThere = document.activeElement?.closest('.find-bar') != null
      if (isFind && !event.shiftKey && !event.altKey && !isThere && open()) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    const stop = onFind(open)
    return () => {
      document.removeEventListener('keydown', onKey)
      stop()
    }
  }, [isEmpty, open])
  if (asked === 0) return null
  return (
    <Suspense fallback={null}>
      <FindBar
        asked={asked}
        onClose={() => {
          setAsked(0)
          if (before.current instanceof HTMLElement) before.current.focus()
        }}
      />
    </Suspense>
  )
}

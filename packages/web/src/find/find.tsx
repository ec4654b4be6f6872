import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import { useApp } from '../workspace/workspace.ts'

const FindBar = lazy(() => import('./find-bar.tsx').then((module) => ({ default: module.FindBar })))

/** Opens session search on Ctrl+F or ⌘F, or from a global search result. Restores the focus on close. */
export function Find() {
  const isEmpty = useSession((state) => state.messages.length === 0)
  const [asked, setAsked] = useState(0)
  const target = useApp((state) => state.target)
  const [over, setOver] = useState<typeof target>(null)
  const found = target?.words === undefined || target === over ? undefined : target
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
      // Pressing it again in the field opens the browser's own search.
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
  if (isEmpty || (asked === 0 && found === undefined)) return null
  return (
    <Suspense fallback={null}>
      <FindBar
        key={found === undefined ? '' : `${found.messageId} ${found.words}`}
        focusRequest={asked}
        found={found}
        onClose={() => {
          setAsked(0)
          setOver(target)
          if (before.current instanceof HTMLElement) before.current.focus()
        }}
      />
    </Suspense>
  )
}

const listeners = new Set<() => void>()

export function openFind(): void {
  for (const listener of listeners) listener()
}

function onFind(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

import type { Ask } from '@troupe/core'
import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

const readingTime = 500

/** Nobody approves what has just slid under the pointer: clicks right after the list has changed do nothing. */
export function useClickGuard(body: RefObject<HTMLElement | null>, asks: readonly Ask[]): void {
  const changedAt = useRef<number | null>(null)
  const known = useRef(asks)
  useLayoutEffect(() => {
    if (known.current === asks) return
    known.current = asks
    changedAt.current = performance.now()
  }, [asks])
  useLayoutEffect(() => {
    const list = body.current
    const onClick = (event: MouseEvent) => {
      // A key that presses a button has no pointer, and the focus was moved off the buttons.
      if (event.detail === 0 || changedAt.current === null) return
      if (performance.now() - changedAt.current > readingTime) return
      event.preventDefault()
      event.stopPropagation()
    }
    list?.addEventListener('click', onClick, true)
    return () => list?.removeEventListener('click', onClick, true)
  }, [body])
}

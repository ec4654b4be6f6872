import { useEffect } from 'react'

/** The focus is never lost (see `keep-focus.ts`). Before somebody presses something nothing can take it away. */
export function useFocusRestore(): void {
  useEffect(() => {
    const waiting = new AbortController()
    let stop: (() => void) | undefined
    let isOver = false
    const start = ({ target }: Event) => {
      waiting.abort()
      void import('./keep-focus.ts').then(
        ({ restoreLostFocus }) => {
          if (!isOver) stop = restoreLostFocus(target)
        },
        // The server is away: the page is one to read.
        () => undefined,
      )
    }
    for (const name of ['keydown', 'pointerdown'])
      document.addEventListener(name, start, { capture: true, signal: waiting.signal })
    return () => {
      isOver = true
      waiting.abort()
      stop?.()
    }
  }, [])
}

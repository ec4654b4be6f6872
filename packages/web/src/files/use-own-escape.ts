import { type RefObject, useEffect, useEffectEvent } from 'react'

/**
 * Escape belongs to this element and does not hide the panels, if `take` returns true. A native listener, because the
 * panels listen before React does.
 */
export function useOwnEscape(
  place: RefObject<HTMLElement | null>,
  take: (target: EventTarget | null) => boolean,
): void {
  const onEscape = useEffectEvent(take)
  useEffect(() => {
    const { current } = place
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && onEscape(event.target)) event.preventDefault()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [place])
}

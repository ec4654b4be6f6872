import type { KeyboardEvent } from 'react'

/** Down and up go through what can be opened, whatever lies between, and from the search to the first of it and back. */
export function moveInList(event: KeyboardEvent<HTMLElement>, around: HTMLElement | null): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.altKey || event.nativeEvent.isComposing) return false
  const stops = [...(around?.querySelectorAll<HTMLElement>('.sidebar-search input, .session-open, .hit') ?? [])]
  const at = stops.indexOf(event.target as HTMLElement)
  const next = at === -1 ? undefined : stops[at + step]
  if (next === undefined) return false
  event.preventDefault()
  next.focus()
  return true
}

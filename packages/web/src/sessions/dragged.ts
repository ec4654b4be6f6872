import type { DragEvent } from 'react'

const dragType = 'application/x-troupe-sessions'

/** Sessions that are dragged within the page. */
export function startDrag(event: DragEvent, sessionIds: string[]): void {
  event.dataTransfer.setData(dragType, JSON.stringify(sessionIds))
  event.dataTransfer.effectAllowed = 'move'
}

/** Says that they may be let go here; false for anything else that is dragged. */
export function allowDrop(event: DragEvent): boolean {
  if (!event.dataTransfer.types.includes(dragType)) return false
  event.preventDefault()
  event.dataTransfer.dropEffect = 'move'
  return true
}

export function droppedSessions(event: DragEvent): string[] {
  event.preventDefault()
  try {
    const ids: unknown = JSON.parse(event.dataTransfer.getData(dragType))
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

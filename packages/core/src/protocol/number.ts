import type { LogItem } from '../run-log.ts'

/** How far an item moves the session's number on: a delta by its length, any other chunk by one, a private note not. */
export function itemSize(item: LogItem): number {
  const text = deltaText(item)
  if (text !== undefined && text.length > 0) return text.length
  return item.type.startsWith('$') ? 0 : 1
}

/** The text of a delta chunk. */
export function deltaText(item: LogItem): string | undefined {
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return (item as { delta: string }).delta
    case 'tool-input-delta':
      return (item as { inputTextDelta: string }).inputTextDelta
    default:
      return undefined
  }
}

/** Two neighbouring deltas of one part as one, or undefined where they cannot be joined without losing something. */
export function joinDeltas(a: LogItem, b: LogItem): LogItem | undefined {
  if (a.type !== b.type) return undefined
  if (a.type === 'text-delta' || a.type === 'reasoning-delta') {
    const next = b as typeof a
    if (a.id !== next.id || a.delta === '' || next.delta === '') return undefined
    if (a.providerMetadata !== undefined || next.providerMetadata !== undefined) return undefined
    return { type: a.type, id: a.id, delta: a.delta + next.delta }
  }
  if (a.type === 'tool-input-delta') {
    const next = b as typeof a
    if (a.toolCallId !== next.toolCallId || a.inputTextDelta === '' || next.inputTextDelta === '') return undefined
    return { type: a.type, toolCallId: a.toolCallId, inputTextDelta: a.inputTextDelta + next.inputTextDelta }
  }
  return undefined
}

/** The part of a delta that comes after its first `count` characters. */
export function sliceDelta(item: LogItem, count: number): LogItem {
  if (item.type === 'tool-input-delta') {
    return { ...item, inputTextDelta: item.inputTextDelta.slice(count) }
  }
  const chunk = item as Extract<LogItem, { type: 'text-delta' }>
  return { ...chunk, delta: chunk.delta.slice(count) }
}

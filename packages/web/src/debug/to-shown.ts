/** A value as text: functions by the names they go by, since the build shortens their own; maps as objects. */
export function toDebugText(value: unknown, space: number = 2): string {
  return JSON.stringify(value, replace, space) ?? String(value)
}

function replace(key: string, value: unknown): unknown {
  if (typeof value === 'function') return `ƒ ${key || value.name || 'anonymous'}()`
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

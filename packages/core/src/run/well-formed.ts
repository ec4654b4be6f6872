/**
 * JSON without half surrogate pairs, which some providers refuse: a tool may cut its output anywhere. The same object
 * where there is nothing to mend.
 */
export function wellFormed<T>(value: T): T {
  return isWellFormed(value) ? value : (repairValue(value) as T)
}

/** Looks before anything is copied: hardly ever is there something to mend. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  for (const key in value) if (!key.isWellFormed() || !isWellFormed(value[key as never])) return false
  return true
}

function repairValue(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed<unknown>(item)]))
}

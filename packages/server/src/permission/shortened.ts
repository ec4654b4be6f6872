const maxTextLength = 500

/** A value of JSON with its long texts cut, for a list that is looked through. */
export function truncateJson(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= maxTextLength ? value : `${value.slice(0, maxTextLength)}…`
  if (Array.isArray(value)) return value.slice(0, 50).map(truncateJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([key, child]) => [key, truncateJson(child)]),
  )
}

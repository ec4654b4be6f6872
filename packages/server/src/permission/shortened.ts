const longest = 500

/** A value of JSON with its long texts cut, for a list that is looked through. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= longest ? value : `${value.slice(0, longest)}…`
  if (Array.isArray(value)) return value.slice(0, 50).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([key, child]) => [key, shortened(child)]),
  )
}

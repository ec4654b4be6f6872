/** What goes into the log must be what comes out of it. Throws for what JSON cannot say at all. */
export function toJson(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

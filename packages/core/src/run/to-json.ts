/** Deeper values are left to the platform, which says what is wrong with a value that holds itself. */
const maxOutputDepth = 200

/**
 * What goes into the log must be what comes out of it: a copy as JSON would make it, null for nothing. Throws for what
 * JSON cannot say at all. Copying plain values costs a fraction of writing and parsing them.
 */
export function toJson(value: unknown): unknown {
  return copy(value, 0) ?? null
}

/** Undefined where JSON leaves a value out. */
function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value + 0 : null
    case 'object':
      return value === null ? null : copyObject(value, depth)
    case 'bigint':
      return throughText(value)
    default:
      return undefined
  }
}

function copyObject(value: object, depth: number): unknown {
  if (depth > maxOutputDepth) return throughText(value)
  if (Array.isArray(value) && !('toJSON' in value)) {
    return Array.from(value as readonly unknown[], (item) => copy(item, depth + 1) ?? null)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return throughText(value)
  const made: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return throughText(value)
    const copied = copy(item, depth + 1)
    if (copied !== undefined) made[key] = copied
  }
  return made
}

function throughText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

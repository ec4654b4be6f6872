import { isDeeper, NamedError } from '@troupe/core'

/** Far more than any message needs, and far less than what recursive readers can bear. */
const deepest = 1000

/**
 * The value of a JSON body. Nesting is measured before anything is built: a body of brackets alone would take seconds
 * and a gigabyte to parse, and could be written nowhere.
 */
export function readJson(text: string): unknown {
  if (isDeeper(text, deepest)) {
    throw new NamedError('TooDeep', `The body is nested deeper than ${deepest} levels.`)
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new NamedError('BadJson', `The body is not valid JSON: ${(error as Error).message}`)
  }
}

/** Refuses a key that some programs take for an object's prototype. Looks only where the text gives reason to. */
export function refuseProtoKeys(value: unknown, text: string): void {
  if (!text.includes('__proto__') && !text.includes('\\u00')) return
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__')) throw new NamedError('BadRequest', 'The key "__proto__" is not taken.')
    for (const child of Object.values(next)) waiting.push(child)
  }
}

import { NamedError } from '@troupe/core'
import { JsonProblem, parseJson, type JsonLimits } from './parse-json.ts'

/** Far more than any message needs, and far less than what recursive readers and checks of a shape can bear. */
const jsonLimits: JsonLimits = { depth: 1000, values: 500_000 }
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The value of a JSON body. Levels and values are counted before anything is built: a body of brackets alone would take
 * seconds and a gigabyte to parse, and could be written nowhere.
 */
export async function readJson(bytes: Buffer): Promise<unknown> {
  const hasMark = bytes.subarray(0, 3).equals(byteOrderMark)
  try {
    return await parseJson(hasMark ? bytes.subarray(3) : bytes, jsonLimits)
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    if (error.kind === 'TooDeep')
      throw new NamedError('TooDeep', `The body is nested deeper than ${jsonLimits.depth} levels.`)
    if (error.kind === 'TooManyValues')
      throw new NamedError('TooManyValues', `The body holds more than ${jsonLimits.values} values.`, { status: 413 })
    throw new NamedError('BadJson', `The body is not valid JSON: ${error.message}`)
  }
}

/** Refuses a key that some programs take for an object's prototype. Looks only where the text gives reason to. */
export function refuseProtoKeys(value: unknown, bytes: Buffer): void {
  if (!bytes.includes('__proto__') && !bytes.includes('\\u00')) return
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    if (Object.hasOwn(next, '__proto__')) throw new NamedError('BadRequest', 'The key "__proto__" is not taken.')
    for (const child of Object.values(next)) waiting.push(child)
  }
}

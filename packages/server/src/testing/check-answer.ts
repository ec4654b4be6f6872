import { isDeepStrictEqual } from 'node:util'
import { isResponse, jsonStatus, Reply, type Route } from '../http/route.ts'

/** Compares the JSON of a response with the schema of its endpoint. Throws when a field is missing, wrong, or undeclared. */
export function checkAnswer(route: Route, value: unknown): void {
  if (value === undefined || isResponse(value)) return
  const [status, body] = value instanceof Reply ? [value.status, value.value as unknown] : [jsonStatus(route), value]
  const schema = route.answers[status]
  const name = `${route.method} ${route.path} (${status})`
  if (schema === undefined || typeof schema === 'string') throw new Error(`${name} has no schema`)
  const sent: unknown = JSON.parse(JSON.stringify(body))
  const result = schema.safeParse(sent)
  if (!result.success) throw new Error(`${name} answers what its schema does not allow: ${result.error.message}`)
  // Parsing drops fields that the schema does not have.
  if (!isDeepStrictEqual(result.data, sent))
    throw new Error(`${name} answers more than its schema says: ${JSON.stringify(sent).slice(0, 2000)}`)
}

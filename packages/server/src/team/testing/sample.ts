import { z } from 'zod'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minimum?: number
  minLength?: number
  pattern?: string
  format?: string
}

/** Texts that fit the patterns of our schemas. */
const texts = [
  'x',
  'a'.repeat(64),
  'a'.repeat(43),
  'name@team.example',
  '1',
  'x/y',
  'project',
  'Bash(ls)',
  'http://x.example/',
]

/** Makes the smallest value that a schema accepts. Throws if it finds none, so that no endpoint is left out silently. */
export function sample(schema: z.ZodType): unknown {
  const value = build(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema)
  const result = schema.safeParse(value)
  if (!result.success) throw new Error(`no sample: ${JSON.stringify(value)} ${result.error.message}`)
  return value
}

function build(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return build(choices[0]!)
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map(build)) as object
  switch (schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, build(schema.properties?.[name] ?? {})]))
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => build(schema.items ?? {}))
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return text(schema)
  }
}

function text({ pattern, minLength = 1, format }: Schema): string {
  if (format === 'email') return 'name@team.example'
  const fits = (one: string): boolean =>
    one.length >= minLength && (pattern === undefined || new RegExp(pattern).test(one))
  return texts.find(fits) ?? 'x'.repeat(minLength)
}

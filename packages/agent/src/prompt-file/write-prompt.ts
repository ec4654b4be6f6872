import { toJson } from '@troupe/core/run'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
import { Document, isScalar, Scalar, visit } from 'yaml'
import type { OutputSource } from '../output/ensure.ts'
import { isEmpty, type Slots } from '../prompt/slots.ts'

const fileNames: Readonly<Record<string, string>> = {
  userInfo: 'user_info',
  history: 'chat_history',
  actionResults: 'action_results',
}

/** Writes slots as a prompt file that loads to the same slots. */
export function toYamlPrompt(agent: Slots, turn: Slots): string {
  const document = {
    ...(!isEmpty(agent) && { '.agent': writeSlots(agent) }),
    ...(!isEmpty(turn) && { '.request': writeSlots(turn) }),
  }
  const written = new Document(document, { aliasDuplicateObjects: false })
  visit(written, {
    Pair(_, { key }) {
      // Unquoted, this key would merge its value into the surrounding map.
      if (isScalar(key) && key.value === '<<') key.type = Scalar.QUOTE_DOUBLE
    },
  })
  return written.toString({ lineWidth: 0 })
}

function writeSlots(slots: Slots): Record<string, unknown> {
  const pairs = Object.entries(slots).map(([name, value]) => {
    const written = name === 'output' && typeof value !== 'string' ? writeOutput(value) : toJson(value)
    return [fileNames[name] ?? name, written] as const
  })
  return Object.fromEntries(pairs)
}

type Schema = JSONSchema7 & { ensure?: unknown }

/** Writes a schema in prompt file syntax. Anything that syntax cannot express becomes JSON Schema. */
function writeOutput(source: unknown): unknown {
  const { $schema: _, ...schema } = (source as OutputSource)['~standard'].jsonSchema.input({ target: 'draft-07' })
  if (JSON.stringify(schema).includes('"$ref"')) return { $schema: schema }
  return writeSchema(schema as Schema, false)
}

function writeSchema(given: JSONSchema7Definition, optional: boolean): unknown {
  if (typeof given === 'boolean') return 'Any'
  const { description, ensure, ...schema } = given as Schema
  const type = writeType(schema)
  const marks = {
    ...(description !== undefined && { $desc: description }),
    ...(ensure !== undefined && ensure !== false && { $ensure: ensure === 'not-empty' ? 'not_empty' : true }),
    ...(optional && { $optional: true }),
  }
  if (type === undefined) return { $schema: schema, ...marks }
  return Object.keys(marks).length === 0 ? type : { $type: type, ...marks }
}

/** Returns undefined for types without a name in that syntax. */
function writeType(schema: JSONSchema7): unknown {
  if (schema.properties !== undefined && isPlain(schema, ['type', 'properties', 'required', 'additionalProperties'])) {
    if (typeof schema.additionalProperties === 'object') return undefined
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [
        name,
        writeSchema(field, schema.required?.includes(name) !== true),
      ]),
    )
  }
  if (schema.type === 'array' && isPlain(schema, ['type', 'items']) && !Array.isArray(schema.items)) {
    const items = writeSchema(schema.items ?? true, false)
    return items === 'Any' ? 'list' : typeof items === 'string' ? `list[${items}]` : [items]
  }
  return typeExpression(schema)
}

function typeExpression(schema: JSONSchema7Definition): string | undefined {
  if (typeof schema === 'boolean' || Object.keys(schema).length === 0) return 'Any'
  if (Array.isArray(schema.type) && isPlain(schema, ['type']))
    return joinTypes(schema.type.map((type) => typeExpression({ type })))
  const union = schema.anyOf ?? schema.oneOf
  if (union !== undefined && isPlain(schema, ['anyOf', 'oneOf'])) return joinTypes(union.map(typeExpression))
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) return isPlain(schema, ['type', 'enum', 'const']) ? literalType(values) : undefined
  switch (schema.type) {
    case 'string':
      return isPlain(schema, ['type']) ? 'str' : undefined
    case 'number':
      return isPlain(schema, ['type']) ? 'float' : undefined
    case 'integer':
      return isInteger(schema) ? 'int' : undefined
    case 'boolean':
      return isPlain(schema, ['type']) ? 'bool' : undefined
    case 'null':
      return isPlain(schema, ['type']) ? 'None' : undefined
    case 'array':
      return isPlain(schema, ['type']) ? 'list' : undefined
    case 'object':
      return isPlain(schema, ['type', 'propertyNames', 'additionalProperties']) ? recordType(schema) : undefined
    default:
      return undefined
  }
}

function recordType({ additionalProperties = true }: JSONSchema7): string | undefined {
  const value = typeExpression(additionalProperties)
  return value === undefined || value === 'Any' ? value && 'dict' : `dict[str, ${value}]`
}

function literalType(values: readonly unknown[]): string | undefined {
  if (values.some((value) => typeof value === 'object' && value !== null)) return undefined
  const texts = values.map((value) => {
    if (value === null) return 'None'
    if (typeof value !== 'string') return JSON.stringify(value)
    const isWord = /^[A-Za-z_][\w-]*( [A-Za-z_][\w-]*)*$/.test(value) && !/^(true|false|none|null)$/i.test(value)
    return isWord ? value : JSON.stringify(value)
  })
  return `Literal[${texts.join(', ')}]`
}

function joinTypes(types: readonly (string | undefined)[]): string | undefined {
  return types.includes(undefined) ? undefined : types.join(' | ')
}

/** zod adds the limits of safe integers. */
function isInteger(schema: JSONSchema7): boolean {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  const isSafe = minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER
  return isSafe && isPlain(schema, ['type', 'minimum', 'maximum'])
}

function isPlain(schema: object, keywords: readonly string[]): boolean {
  return Object.keys(schema).every((keyword) => keywords.includes(keyword))
}

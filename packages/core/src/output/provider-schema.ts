import type { JSONSchema7 } from 'json-schema'
import { asSchema, type Schema } from './schema-tree.ts'

const schemaKeywords = ['not', 'additionalItems', 'contains', 'propertyNames', 'if', 'then', 'else'] as const
const schemaListKeywords = ['anyOf', 'oneOf'] as const
const schemaMapKeywords = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies'] as const

type Loose = Record<string, unknown>

/**
 * A schema as providers take it for structured output: without our own keywords; objects closed, as strict modes want;
 * fields that are ensured required.
 */
export function toProviderSchema(schema: Schema): JSONSchema7 {
  const { $schema: _dialect, ...copy } = cleanSchema(schema) as JSONSchema7
  return copy
}

/** `open`: the members of an intersection stay open, or nothing would fit them all. */
function cleanSchema(given: JSONSchema7 | boolean, open = false): JSONSchema7 | boolean {
  if (typeof given === 'boolean') return given
  const { ensure: _ensure, ...rest } = given as Schema
  const copy: Loose = { ...rest }
  for (const name of schemaKeywords) if (name in copy) copy[name] = cleanSchema(copy[name] as JSONSchema7)
  for (const name of schemaListKeywords)
    if (name in copy) copy[name] = (copy[name] as JSONSchema7[]).map((one) => cleanSchema(one, open))
  if (rest.allOf !== undefined) copy['allOf'] = rest.allOf.map((one) => cleanSchema(one, true))
  for (const name of schemaMapKeywords) if (name in copy) copy[name] = mapValues(copy[name] as Loose)
  for (const name of ['items', 'prefixItems']) {
    const items = copy[name] as JSONSchema7 | JSONSchema7[] | undefined
    if (items !== undefined)
      copy[name] = Array.isArray(items) ? items.map((one) => cleanSchema(one)) : cleanSchema(items)
  }
  if ('additionalProperties' in copy)
    copy['additionalProperties'] = cleanSchema(copy['additionalProperties'] as JSONSchema7)
  if (rest.properties === undefined) return copy
  if (!open) copy['additionalProperties'] ??= false
  const required = Object.keys(rest.properties).filter(
    (key) => rest.required?.includes(key) || isEnsured(rest.properties?.[key] ?? true),
  )
  if (required.length > 0) copy['required'] = required
  return copy
}

function mapValues(map: Loose): Loose {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, cleanSchema(value as JSONSchema7)]))
}

function isEnsured(given: JSONSchema7 | boolean): boolean {
  const schema = asSchema(given)
  if (schema.ensure !== undefined) return schema.ensure !== false
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(isEnsured)
}

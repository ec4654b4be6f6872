import type { JSONSchema7 } from 'json-schema'
import { type JsonType, jsonTypeOf } from '../json/block.ts'
import { formatPath, type PatternSegment, wildcard } from '../json/path.ts'

/** JSON Schema as converters produce it: with 2020-12 tuples and the additions of `.meta()`. */
export type Schema = JSONSchema7 & { prefixItems?: (JSONSchema7 | boolean)[]; ensure?: unknown }

const everyType: readonly JsonType[] = ['object', 'array', 'string', 'number', 'boolean', 'null']
const maxSchemaDepth = 8
const maxPaths = 1000

export class SchemaTree {
  readonly root: Schema
  /** Multi-type schemas split into one schema per type. Cached, so they keep their identity. */
  readonly #perType = new Map<Schema, Schema[]>()

  constructor(root: Schema) {
    this.root = root
  }

  /** Returns the alternatives of a schema, with unions, references and intersections resolved. */
  alternatives(schema: Schema, seen: readonly Schema[] = []): Schema[] {
    if (seen.includes(schema)) return []
    const within = [...seen, schema]
    const { $ref } = schema
    if ($ref !== undefined) {
      const target = this.#resolve($ref)
      return target === undefined ? [] : this.alternatives(target, within)
    }
    const union = schema.anyOf ?? schema.oneOf
    if (union !== undefined) return union.flatMap((one) => this.alternatives(asSchema(one), within))
    if (schema.allOf !== undefined) return schema.allOf.flatMap((one) => this.alternatives(asSchema(one), within))
    if (!Array.isArray(schema.type)) return [schema]
    const known = this.#perType.get(schema) ?? schema.type.map((type) => ({ ...schema, type }))
    this.#perType.set(schema, known)
    return known
  }

  /** Returns the schemas one segment below: one per alternative that has it. */
  below(schema: Schema, segment: PatternSegment): Schema[] {
    return this.alternatives(schema).flatMap((one) => childrenOf(one, segment))
  }

  has(path: readonly PatternSegment[]): boolean {
    let at: Schema[] = [this.root]
    for (const segment of path) at = at.flatMap((schema) => this.below(schema, segment))
    return at.length > 0
  }

  types(schema: Schema): Set<JsonType> {
    return new Set(this.alternatives(schema).flatMap(typesOf))
  }

  paths(): string[] {
    const found = new Set<string>()
    this.visit((path) => {
      if (path.length > 0) found.add(formatPath(path))
      return found.size < maxPaths
    })
    return [...found]
  }

  /** Walks the fields to a limited depth. Never enters a schema recursively. */
  visit(see: (path: readonly PatternSegment[], schema: Schema) => boolean): void {
    const go = (schema: Schema, path: readonly PatternSegment[], inside: readonly Schema[]): boolean => {
      if (!see(path, schema)) return false
      if (path.length >= maxSchemaDepth || inside.includes(schema)) return true
      return this.alternatives(schema).every((one) => {
        if (inside.includes(one)) return true
        const within = [...inside, schema, one]
        return childEntries(one).every(([segment, child]) => go(child, [...path, segment], within))
      })
    }
    go(this.root, [], [])
  }

  #resolve(reference: string): Schema | undefined {
    let at: unknown = this.root
    for (const name of reference.split('/').slice(1)) {
      if (typeof at !== 'object' || at === null) return undefined
      at = (at as Record<string, unknown>)[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
    }
    return at === undefined ? undefined : asSchema(at as Schema)
  }
}

/** `true` allows anything, `false` nothing. */
export function asSchema(schema: JSONSchema7 | boolean): Schema {
  if (schema === true) return {}
  return schema === false ? { not: {} } : (schema as Schema)
}

export function childEntries(schema: Schema): [PatternSegment, Schema][] {
  const named = Object.entries(schema.properties ?? {}).map(([key, child]): [PatternSegment, Schema] => [
    key,
    asSchema(child),
  ])
  const others = recordValue(schema)
  const items = itemSchemas(schema).map((item): [PatternSegment, Schema] => [wildcard, item])
  return [...named, ...(others === undefined ? [] : [[wildcard, others] as [PatternSegment, Schema]]), ...items]
}

function childrenOf(schema: Schema, segment: PatternSegment): Schema[] {
  if (isAnything(schema)) return [{}]
  const types = typesOf(schema)
  const list = types.includes('array') ? itemSchemas(schema) : []
  const others = types.includes('object') ? recordValue(schema) : undefined
  if (segment === wildcard) return others === undefined ? list : [...list, others]
  if (typeof segment === 'number') {
    const tuple = tupleOf(schema)
    const item = tuple === undefined ? list[0] : (tuple[segment] ?? list[tuple.length])
    if (types.includes('array')) return item === undefined ? [] : [item]
  }
  const key = String(segment)
  const { properties } = schema
  if (properties !== undefined && Object.hasOwn(properties, key))
    return [asSchema(properties[key] as JSONSchema7 | boolean)]
  return others !== undefined && keyAllowed(schema, key) ? [others] : []
}

function isAnything(schema: Schema): boolean {
  return typesOf(schema).length === everyType.length && schema.properties === undefined && schema.items === undefined
}

function tupleOf(schema: Schema): Schema[] | undefined {
  const tuple = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined)
  return tuple?.map(asSchema)
}

function itemSchemas(schema: Schema): Schema[] {
  const tuple = tupleOf(schema)
  const rest = schema.prefixItems === undefined && tuple !== undefined ? schema.additionalItems : schema.items
  const others = rest === undefined || Array.isArray(rest) || rest === false ? [] : [asSchema(rest)]
  if (tuple !== undefined) return [...tuple, ...others]
  return schema.type === 'array' && others.length === 0 && schema.items === undefined ? [{}] : others
}

/** Returns the value schema of a record. An object with only named fields is not a record. */
function recordValue(schema: Schema): Schema | undefined {
  const { additionalProperties, properties, patternProperties } = schema
  if (additionalProperties === false) return undefined
  if (additionalProperties !== undefined) return asSchema(additionalProperties)
  const pattern = Object.values(patternProperties ?? {})[0]
  if (pattern !== undefined) return asSchema(pattern)
  return properties === undefined && schema.type === 'object' ? {} : undefined
}

function keyAllowed(schema: Schema, key: string): boolean {
  const names = schema.propertyNames
  if (typeof names !== 'object' || names.enum === undefined) return true
  return names.enum.includes(key)
}

function typesOf(schema: Schema): JsonType[] {
  if (schema.not !== undefined && Object.keys(schema.not).length === 0) return []
  if (schema.type !== undefined) {
    const given = Array.isArray(schema.type) ? schema.type : [schema.type]
    return given.map((type) => (type === 'integer' ? 'number' : type))
  }
  const literals = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (literals !== undefined) return [...new Set(literals.map(jsonTypeOf))]
  if (schema.properties !== undefined) return ['object']
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ['array']
  return [...everyType]
}

import type { JSONSchema7 } from 'json-schema'
import type { FieldTypes, JsonType } from '../json/block.ts'
import { readWord } from '../json/lexer.ts'
import { formatPath, parsePath, type PatternSegment, wildcard } from '../json/path.ts'
import { type CheckedOutput, ensureRules, type OutputSchema, type OutputSource, type StandardResult } from './ensure.ts'
import { asSchema, childEntries, type Schema, SchemaTree } from './schema-tree.ts'

/** Prepares a schema. Derived forms are computed lazily. */
export function outputSchema<Input, Output>(source: OutputSource<Input, Output>): OutputSchema<Input, Output> {
  const tree = new SchemaTree(jsonSchemaOf(source))
  const types = tree.types(tree.root)
  const ensure = ensureRules(tree)
  const kinds = new Set([...types].map(answerKind))
  const inAnswer = source.ofScalar ?? (kinds.has('object') || kinds.has('list') ? undefined : (value: unknown) => value)
  let jsonSchema: JSONSchema7 | undefined
  let notation: string | undefined
  let paths: readonly string[] | undefined
  return {
    get jsonSchema() {
      return (jsonSchema ??= toProviderSchema(tree.root))
    },
    get notation() {
      return (notation ??= notationOf(tree.root))
    },
    get paths() {
      return (paths ??= tree.paths())
    },
    kinds,
    fields: fieldTypes(tree, types),
    ensure,
    has: (path) => tree.has(parsePath(path)),
    validate: (value) => validate(source, value),
    ofBareText:
      inAnswer &&
      (async (text) => {
        for (const value of bareValues(text)) {
          const answer = inAnswer(value)
          if ((await validate(source, answer)).ok) return answer
        }
        return undefined
      }),
  }
}

/** Returns possible values of an unquoted text: `yes`, `42`, `**Yes.**` */
function bareValues(text: string): unknown[] {
  const bare = text.trim().replace(/^(?:```\w*\s+([\s\S]*?)\s*```|(\*\*|`)([\s\S]*)\2)$/, '$1$3')
  const word = readWord(bare)
  return [...(word === undefined ? [] : [word.value]), bare, bare.replace(/[.!]$/, '')]
}

function jsonSchemaOf(source: OutputSource): Schema {
  const standard = (source as Partial<OutputSource> | undefined)?.['~standard']
  if (typeof standard?.jsonSchema?.input !== 'function') {
    throw new Error(
      'The output schema must be zod 4 or another Standard Schema with a JSON Schema ("~standard".jsonSchema).',
    )
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-07' }) as Schema
  } catch (error) {
    throw new Error(`The output schema cannot be converted for a model: ${(error as Error).message}`, { cause: error })
  }
}

function answerKind(type: JsonType): 'object' | 'list' | 'scalar' {
  if (type === 'object') return 'object'
  return type === 'array' ? 'list' : 'scalar'
}

function fieldTypes(tree: SchemaTree, types: ReadonlySet<JsonType>): FieldTypes {
  const fields = new Map<PatternSegment, Set<JsonType>>()
  const add = (key: PatternSegment, schema: Schema): void => {
    fields.set(key, new Set([...(fields.get(key) ?? []), ...tree.types(schema)]))
  }
  const roots = tree.alternatives(tree.root)
  for (const [key, child] of roots.flatMap(childEntries)) add(key, child)
  const items = types.has('object') ? [] : tree.below(tree.root, wildcard)
  for (const [key, child] of items.flatMap((item) => tree.alternatives(item)).flatMap(childEntries)) {
    if (key !== wildcard) add(key, child)
  }
  return fields
}

async function validate<Output>(source: OutputSource<unknown, Output>, value: unknown): Promise<CheckedOutput<Output>> {
  const result = await safeValidate(source, value)
  if (result.issues === undefined) return { ok: true, data: result.value }
  return {
    ok: false,
    problems: result.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => (typeof part === 'object' ? part.key : part))
      return {
        path: formatPath(keys.map((key) => (typeof key === 'number' ? key : String(key)))),
        message,
        retry: true,
      }
    }),
  }
}

/** A value nested too deeply for the schema library is an invalid answer, not a bug. */
async function safeValidate<Output>(
  source: OutputSource<unknown, Output>,
  value: unknown,
): Promise<StandardResult<Output>> {
  try {
    return await source['~standard'].validate(value)
  } catch (error) {
    if (error instanceof RangeError) return { issues: [{ message: 'is nested too deeply' }] }
    throw error
  }
}

/**
 * Renders a JSON Schema in the form models read best: the shape itself, fields in order, types in angle brackets,
 * followed by notes.
 *
 * ```
 * {
 * "title": <string>, // at most ten words
 * "tags": [
 * <string>,
 * ...
 * ] // optional }
 * ```
 */
export function notationOf(schema: JSONSchema7): string {
  const writer = new NotationWriter(schema)
  const notes = writer.notes(schema, true)
  return `${writer.write(schema, [], '')}${notes === '' ? '' : ` // ${notes}`}`
}

class NotationWriter {
  readonly #tree: SchemaTree
  readonly #open: { schema: Schema; path: readonly PatternSegment[] }[] = []

  constructor(root: Schema) {
    this.#tree = new SchemaTree(root)
  }

  write(schema: Schema, path: readonly PatternSegment[], indent: string): string {
    const texts = this.#tree.alternatives(schema).map((one) => this.#one(one, path, indent))
    return texts.length === 0 ? '<any>' : [...new Set(texts)].join(' | ')
  }

  notes(schema: Schema, required: boolean): string {
    const all = [schema, ...this.#tree.alternatives(schema)]
    const ensured = all.map((one) => one.ensure).find((rule) => rule !== undefined && rule !== false)
    const description = all.map((one) => one.description).find((text) => text !== undefined)
    const standard = all.map((one) => one.default).find((value) => value !== undefined)
    return [
      !required && ensured === undefined && 'optional',
      standard !== undefined && `default: ${JSON.stringify(standard)}`,
      ensured === 'not-empty' && 'must not be empty',
      description?.replace(/\s+/g, ' ').trim(),
    ]
      .filter(Boolean)
      .join('; ')
  }

  #one(schema: Schema, path: readonly PatternSegment[], indent: string): string {
    const isHolder = schema.type === undefined || schema.type === 'object' || schema.type === 'array'
    if (!isHolder || childEntries(schema).length === 0) return formatLeaf(schema)
    const around = this.#open.find((one) => one.schema === schema)
    if (around !== undefined) {
      return around.path.length === 0 ? '<same as the root>' : `<same as ${formatPath(around.path)}>`
    }
    this.#open.push({ schema, path })
    const text = schema.type === 'array' ? this.#list(schema, path, indent) : this.#object(schema, path, indent)
    this.#open.pop()
    return text
  }

  #object(schema: Schema, path: readonly PatternSegment[], indent: string): string {
    const required = new Set(schema.required)
    const lines = childEntries(schema).map(([key, child]) => {
      const name = key === wildcard ? '"<key>"' : JSON.stringify(key)
      const known = key === wildcard || required.has(String(key))
      return this.#line(child, `${name}: `, [...path, key], indent, known)
    })
    const open = childEntries(schema).some(([key]) => key === wildcard)
    return formatBrackets('{', [...lines, ...(open ? [{ text: '...', notes: '' }] : [])], '}', indent)
  }

  #list(schema: Schema, path: readonly PatternSegment[], indent: string): string {
    const items = childEntries(schema).filter(([key]) => key === wildcard)
    const tuple = Array.isArray(schema.items) ? schema.items.length : (schema.prefixItems?.length ?? 0)
    const lines = items.map(([, item]) => this.#line(item, '', [...path, wildcard], indent, true))
    const more = items.length > tuple
    return formatBrackets('[', [...lines, ...(more ? [{ text: '...', notes: '' }] : [])], ']', indent)
  }

  #line(
    schema: Schema,
    before: string,
    path: readonly PatternSegment[],
    indent: string,
    required: boolean,
  ): NotationLine {
    return { text: `${before}${this.write(schema, path, `${indent}  `)}`, notes: this.notes(schema, required) }
  }
}

interface NotationLine {
  text: string
  notes: string
}

function formatBrackets(open: string, lines: readonly NotationLine[], close: string, indent: string): string {
  const last = lines.length - 1
  const body = lines.map(({ text, notes }, index) => {
    return `${indent}  ${text}${index === last ? '' : ','}${notes === '' ? '' : ` // ${notes}`}`
  })
  return [open, ...body, `${indent}${close}`].join('\n')
}

function formatLeaf(schema: Schema): string {
  const literals = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (literals !== undefined) return literals.map((value) => JSON.stringify(value)).join(' | ')
  const { type } = schema
  if (type === 'object') return '{}'
  if (type === 'array') return '[]'
  if (type === undefined) return '<any>'
  const format = schema.format === undefined ? '' : `: ${schema.format}`
  return type === 'null' ? type : `<${String(type)}${format}>`
}

const schemaKeywords = ['not', 'additionalItems', 'contains', 'propertyNames', 'if', 'then', 'else'] as const
const schemaListKeywords = ['anyOf', 'oneOf'] as const
const schemaMapKeywords = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies'] as const

type Loose = Record<string, unknown>

/**
 * Converts a schema for providers' structured output: removes our own keywords, closes objects as strict modes require,
 * and makes ensured fields required.
 */
function toProviderSchema(schema: Schema): JSONSchema7 {
  const { $schema: _dialect, ...copy } = cleanSchema(schema) as JSONSchema7
  return copy
}

/** `open`: members of an intersection stay open, or no value would fit all of them. */
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

const schemaCache = new WeakMap<OutputSource, OutputSchema>()

/** Cached per schema: its JSON Schema and notation cost more than the rest of a turn. */
export function cachedOutputSchema(source: OutputSource): OutputSchema {
  let schema = schemaCache.get(source)
  if (schema === undefined) schemaCache.set(source, (schema = outputSchema(source)))
  return schema
}

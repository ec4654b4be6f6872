import type { JSONSchema7 } from 'json-schema'
import { formatPath, type PatternSegment, wildcard } from './path.ts'
import { childEntries, type Schema, SchemaTree } from './schema-tree.ts'

/**
 * A JSON Schema as a model reads it best: the shape itself, fields in order, a type in angle brackets where a value
 * goes, and behind it what there is to know.
 *
 * ```
 * {
 *   "title": <string>, // at most ten words
 *   "tags": [
 *     <string>,
 *     ...
 *   ] // optional
 * }
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

  /** What stands behind a field. */
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
      return around.path.length === 0 ? '<same as the whole>' : `<same as ${formatPath(around.path)}>`
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

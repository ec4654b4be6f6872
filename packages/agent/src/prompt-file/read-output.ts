import { z } from 'zod'
import { renderBody } from '../prompt/render-prompt.ts'
import { isRecord } from '../prompt/slots.ts'
import { type Fail, positionIn, type SourcePosition } from './parse-source.ts'

/**
 * Converts the output of a prompt file to a schema. A map is an object, a list with one form a list of it, a text a
 * type expression. A map with `$type`, `$desc`, `$ensure` or `$optional` (also `.type`…) describes one value. `$schema`
 * holds a JSON Schema for anything else. A text that is not a type describes a value of any type.
 */
export function readOutput(value: unknown, place: SourcePosition, key: string, fail: Fail): z.ZodType {
  if (isSchema(value)) return value
  if (typeof value === 'string') return parseTypeExpression(value) ?? z.unknown().describe(value)
  if (Array.isArray(value)) {
    if (value.length > 1) fail('a list can only have one item type, but there are several', place, key)
    return z.array(value.length === 0 ? z.unknown() : readOutput(value[0], positionIn(place, 0), `${key}[0]`, fail))
  }
  if (!isRecord(value)) return fail(`${JSON.stringify(value)} is neither a type nor a map or list of types`, place, key)
  const marks = Object.keys(value).filter((name) => markOf(name) !== undefined)
  if (marks.length > 0) return readMarked(value, marks, place, key, fail)
  const fields = Object.entries(value).map(
    ([name, field]) =>
      [name, readOutput(field, positionIn(place, name), key === '' ? name : `${key}.${name}`, fail)] as const,
  )
  return z.object(Object.fromEntries(fields))
}

type Mark = 'type' | 'desc' | 'ensure' | 'optional' | 'schema'

function markOf(name: string): Mark | undefined {
  return /^[$.](type|desc|ensure|optional|schema)$/.exec(name)?.[1] as Mark | undefined
}

function readMarked(
  map: Record<string, unknown>,
  marks: string[],
  place: SourcePosition,
  key: string,
  fail: Fail,
): z.ZodType {
  const others = Object.keys(map).filter((name) => !marks.includes(name))
  if (others.length > 0) fail(`${others.join(', ')} cannot be combined with ${marks.join(', ')}`, place, key)
  // The form with a dot takes precedence.
  const given = new Map(marks.toSorted().map((name) => [markOf(name), name]))
  const at = (mark: Mark): [value: unknown, place: SourcePosition] => {
    const name = given.get(mark)
    return name === undefined ? [undefined, place] : [map[name], positionIn(place, name)]
  }
  const [description] = at('desc')
  let schema = baseSchema(at('type'), at('schema'), key, fail)
  if (description !== undefined && description !== null) schema = schema.describe(renderBody(description))
  const [ensure, ensurePlace] = at('ensure')
  const level = ensureLevel(ensure)
  if (level === 'bad') fail('ensure must be true, false or not_empty', ensurePlace, key)
  if (level !== undefined) schema = schema.meta({ ensure: level })
  return at('optional')[0] === true ? schema.optional() : schema
}

function baseSchema(
  [type, typePlace]: [unknown, SourcePosition],
  [json, schemaPlace]: [unknown, SourcePosition],
  key: string,
  fail: Fail,
): z.ZodType {
  if (json !== undefined) {
    try {
      return z.fromJSONSchema(json as z.core.JSONSchema.JSONSchema)
    } catch (error) {
      return fail(`not a supported JSON Schema: ${(error as Error).message}`, schemaPlace, key)
    }
  }
  if (type === undefined || type === null) return z.unknown()
  if (typeof type === 'string')
    return parseTypeExpression(type) ?? fail(`"${type}" is not a type; available: ${knownTypes}`, typePlace, key)
  return readOutput(type, typePlace, key, fail)
}

const knownTypes =
  'str, int, float, bool, list, dict, Any, None, list[…], dict[str, …], Literal[…], Optional[…] and … | …'

function ensureLevel(value: unknown): boolean | 'not-empty' | 'bad' | undefined {
  if (value === undefined || value === null || value === false) return undefined
  if (value === true) return true
  return typeof value === 'string' && /^not_?(empty|null)$/i.test(value) ? 'not-empty' : 'bad'
}

function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '~standard' in value
}

/**
 * Parses a type as written in prompt files: `str`, `int`, `float`, `bool`, `dict`, `list`, `Any`, `None`, `list[str]`,
 * `dict[str, int]`, `Literal[a, "b c", 3]`, `Optional[int]`, `str | None`. Returns undefined for anything else.
 */
export function parseTypeExpression(text: string): z.ZodType | undefined {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[[\],|]|[^\s[\],|"']+/g) ?? []
  let at = 0
  try {
    const type = union()
    return at === tokens.length ? type : undefined
  } catch (error) {
    if (error instanceof TypeSyntaxError) return undefined
    throw error
  }

  function union(): z.ZodType {
    const types = [single()]
    while (tokens[at] === '|') {
      at++
      types.push(single())
    }
    return unionType(types)
  }

  function single(): z.ZodType {
    const word = tokens[at++] ?? ''
    if (tokens[at] !== '[') return plainType(word)
    at++
    if (word.toLowerCase() === 'literal') return z.literal(literals())
    const types = [union()]
    while (tokens[at] === ',') {
      at++
      types.push(union())
    }
    close()
    return genericType(word, types)
  }

  function literals(): Literal[] {
    const found: Literal[] = []
    for (let words: string[] = []; ;) {
      const token = tokens[at++]
      if (token === undefined || token === '[' || token === '|') throw new TypeSyntaxError()
      if (token !== ',' && token !== ']') {
        words.push(token)
        continue
      }
      if (words.length === 0) throw new TypeSyntaxError()
      found.push(parseLiteral(words))
      words = []
      if (token === ']') return found
    }
  }

  function close(): void {
    if (tokens[at++] !== ']') throw new TypeSyntaxError()
  }
}

type Literal = string | number | boolean | null

class TypeSyntaxError extends Error {}

function plainType(word: string): z.ZodType {
  switch (word.toLowerCase()) {
    case 'str':
    case 'string':
      return z.string()
    case 'int':
    case 'integer':
      return z.int()
    case 'float':
    case 'number':
      return z.number()
    case 'bool':
    case 'boolean':
      return z.boolean()
    case 'list':
    case 'array':
      return z.array(z.unknown())
    case 'dict':
    case 'object':
      return z.record(z.string(), z.unknown())
    case 'any':
      return z.unknown()
    case 'none':
    case 'null':
      return z.null()
    default:
      throw new TypeSyntaxError()
  }
}

function genericType(word: string, types: z.ZodType[]): z.ZodType {
  const [first, second] = types as [z.ZodType, z.ZodType?]
  switch (word.toLowerCase()) {
    case 'list':
    case 'array':
      if (second === undefined) return z.array(first)
      throw new TypeSyntaxError()
    case 'dict':
      if (second !== undefined && types.length === 2) return z.record(z.string(), second)
      throw new TypeSyntaxError()
    case 'optional':
      if (second === undefined) return z.nullable(first)
      throw new TypeSyntaxError()
    case 'union':
      return unionType(types)
    default:
      throw new TypeSyntaxError()
  }
}

function unionType(types: z.ZodType[]): z.ZodType {
  const [first, second] = types as [z.ZodType, z.ZodType?]
  return second === undefined ? first : z.union(types as [z.ZodType, z.ZodType, ...z.ZodType[]])
}

/** Consecutive words form one text. Quotes keep a number or a comma as text. */
function parseLiteral(words: string[]): Literal {
  const [word = ''] = words
  if (words.length === 1) {
    if (/^".*"$/s.test(word)) return JSON.parse(word) as string
    if (/^'.*'$/s.test(word)) return word.slice(1, -1).replace(/\\(.)/gs, '$1')
    if (/^-?\d+(\.\d+)?$/.test(word)) return Number(word)
    if (/^(true|false)$/i.test(word)) return word.toLowerCase() === 'true'
    if (/^(none|null)$/i.test(word)) return null
  }
  return words.join(' ')
}

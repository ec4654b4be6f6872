import { z } from 'zod'

/**
 * A type as prompt files write it: `str`, `int`, `float`, `bool`, `dict`, `list`, `Any`, `None`, `list[str]`,
 * `dict[str, int]`, `Literal[a, "b c", 3]`, `Optional[int]`, `str | None`. Undefined for anything else.
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

/** Words in a row are one text; quotes keep a number or a comma text. */
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

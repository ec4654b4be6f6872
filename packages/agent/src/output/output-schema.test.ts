import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ensureProblems, type OutputSource } from './ensure.ts'
import { outputSchema } from './output-schema.ts'

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional()
  },
})

const everything = outputSchema(
  z.object({
    thinking: z.string().describe('first the plan,\nthen the rest'),
    items: z
      .array(
        z.object({
          title: z.string().min(1).describe('short').meta({ ensure: 'not-empty' }),
          score: z.number().nullable().optional(),
        }),
      )
      .describe('the best first'),
    scores: z.record(z.string(), z.int()),
    block: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('text'), text: z.string() }),
      z.object({ kind: z.literal('image'), url: z.url() }),
    ]),
    mood: z.enum(['good', 'bad']).default('good'),
    size: z.tuple([z.number(), z.number()]),
    tree: Tree,
    anything: z.unknown(),
    ensure: z.boolean(),
  }),
)

test('the notation shows fields in order, with types, descriptions and optional markers', () => {
  expect(everything.notation).toBe(`{
  "thinking": <string>, // first the plan, then the rest
  "items": [
    {
      "title": <string>, // must not be empty; short
      "score": <number> | null // optional
    },
    ...
  ], // the best first
  "scores": {
    "<key>": <integer>,
    ...
  },
  "block": {
    "kind": "text",
    "text": <string>
  } | {
    "kind": "image",
    "url": <string: uri>
  },
  "mood": "good" | "bad", // optional; default: "good"
  "size": [
    <number>,
    <number>
  ],
  "tree": {
    "name": <string>,
    "children": [
      <same as tree>,
      ...
    ] // optional
  },
  "anything": <any>,
  "ensure": <boolean>
}`)
})

test('scalars and lists have a notation, too', () => {
  expect(outputSchema(z.number().describe('from 1 to 10')).notation).toBe('<number> // from 1 to 10')
  expect(outputSchema(z.array(z.string())).notation).toBe('[\n  <string>,\n  ...\n]')
  expect(outputSchema(Tree).notation).toContain('<same as the root>')
  const several = standard({ type: ['array', 'string', 'null'], items: { type: ['integer', 'null'] } })
  expect(outputSchema(several).notation).toBe('[\n  <integer> | null,\n  ...\n] | <string> | null')
})

test('a provider gets a closed JSON Schema with descriptions, without our own words, ensured fields required', () => {
  const { jsonSchema } = outputSchema(
    z.object({
      b: z.string().describe('B').meta({ ensure: true }).optional(),
      a: z.object({ ensure: z.number().nullable().default(null) }),
    }),
  )
  expect(jsonSchema).toEqual({
    type: 'object',
    properties: {
      b: { type: 'string', description: 'B' },
      a: {
        type: 'object',
        properties: { ensure: { type: ['number', 'null'], default: null } },
        additionalProperties: false,
      },
    },
    required: ['b', 'a'],
    additionalProperties: false,
  })
  expect(Object.keys(jsonSchema.properties ?? {})).toEqual(['b', 'a'])
  expect(JSON.stringify(everything.jsonSchema)).not.toContain('not-empty')
})

test('members of an intersection stay open, or no value would match both', () => {
  const member = (key: string): object => ({ type: 'object', properties: { [key]: { type: 'string' } } })
  const { jsonSchema, has } = outputSchema(standard({ allOf: [member('a'), member('b')] }))
  expect(jsonSchema).toEqual({ allOf: [member('a'), member('b')] })
  expect([has('a'), has('b'), has('c')]).toEqual([true, true, false])
})

function standard(jsonSchema: Record<string, unknown>): OutputSource {
  return {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => jsonSchema },
    },
  }
}

describe('a path is looked up', () => {
  const there = ['', 'items', 'items[0]', 'items[*].title', 'items/3/title', 'items.0.score', 'scores.anna', 'scores.*']
    .concat(['block.text', 'block.url', 'block.kind', 'size[0]', 'size[*]', 'tree.children[0].children[5].name'])
    .concat(['anything', 'anything.at[0].all', 'ensure'])
  const nowhere = [
    'item',
    'items.title',
    'items[0].titel',
    'thinking.x',
    'thinking[0]',
    'scores.anna.x',
    'block.href',
  ].concat(['block[0]', 'size[2]', 'tree.children[0].title', 'mood[*]', 'toString', 'items.length'])

  test.each(there)('%s is in the schema', (path) => {
    expect(everything.has(path)).toBe(true)
  })
  test.each(nowhere)('%s is not', (path) => {
    expect(everything.has(path)).toBe(false)
  })

  test('and all named paths are listed', () => {
    expect(outputSchema(z.array(z.object({ a: z.string(), b: z.record(z.string(), z.int()) }))).paths).toEqual([
      '[*]',
      '[*].a',
      '[*].b',
      '[*].b[*]',
    ])
    expect(everything.paths).toContain('tree.children[*]')
  })

  test('a record with known keys has only those', () => {
    const schema = outputSchema(z.object({ by: z.record(z.enum(['x', 'y']), z.number()) }))
    expect(schema.has('by.x')).toBe(true)
    expect(schema.has('by.z')).toBe(false)
  })
})

describe('ensure', () => {
  const ensured = (source: OutputSource<unknown, unknown>): string[] =>
    outputSchema(source).ensure.map(({ path, rule }) => `${path} ${rule}`)
  const problems = (source: OutputSource<unknown, unknown>, value: unknown): string[] =>
    ensureProblems(value, outputSchema(source).ensure).map(({ path, message }) => `${path} ${message}`)
  const e = z.string().meta({ ensure: 'not-empty' })

  test('is found through optional, nullable, default, lists, records, unions and references', () => {
    const schema = z.object({
      a: e.optional(),
      b: e.nullable(),
      c: e.default('x'),
      d: z.array(e),
      e: z.record(z.string(), z.object({ f: z.string().meta({ ensure: true }) })),
      g: z.union([z.object({ h: z.string().meta({ ensure: 'present' }) }), z.string()]),
      i: z.string().optional().meta({ ensure: true }),
      j: z.array(z.object({ k: e }).nullable()).optional(),
      l: z.string().meta({ ensure: false }),
    })
    expect(ensured(schema)).toEqual([
      'a not-empty',
      'b not-empty',
      'c not-empty',
      'd[*] not-empty',
      'e[*].f present',
      'g.h present',
      'i present',
      'j[*].k not-empty',
    ])
  })

  test('present accepts null and empty values, not-empty rejects both', () => {
    const schema = z.object({
      p: z.string().nullish().meta({ ensure: true }),
      n: z.unknown().meta({ ensure: 'not-empty' }),
    })
    expect(problems(schema, { p: null, n: 0 })).toEqual([])
    expect(problems(schema, { p: '', n: false })).toEqual([])
    expect(problems(schema, {})).toEqual(['p is missing', 'n is missing'])
    for (const n of [null, '', ' \n', [], {}]) expect(problems(schema, { p: 1, n })).toEqual(['n must not be empty'])
  })

  test('every item is checked, an empty list passes, missing parents are left to the schema', () => {
    const schema = z.object({ items: z.array(z.object({ t: e })).optional(), at: z.object({ t: e }).nullish() })
    expect(problems(schema, { items: [{ t: 'x' }, {}, { t: '' }] })).toEqual([
      'items[1].t is missing',
      'items[2].t must not be empty',
    ])
    expect(problems(schema, { items: [], at: null })).toEqual([])
    expect(problems(schema, {})).toEqual([])
  })

  test('in a union, only the matching member is checked', () => {
    const schema = z.object({
      block: z.union([
        z.object({ kind: z.literal('text'), text: e, note: z.string().optional() }),
        z.object({ kind: z.literal('image'), url: e }),
      ]),
    })
    expect(problems(schema, { block: { kind: 'text', text: 'x' } })).toEqual([])
    expect(problems(schema, { block: { kind: 'image' } })).toEqual(['block.url is missing'])
    expect(problems(schema, { block: { kind: 'text', text: '' } })).toEqual(['block.text must not be empty'])
  })

  test('a handwritten rule needs its whole path', () => {
    const rules = [{ path: 'items/*/t', rule: 'present' as const }]
    const found = (value: unknown): string[] => ensureProblems(value, rules).map(({ path }) => path)
    expect(found({})).toEqual(['items[*].t'])
    expect(found({ items: 'none' })).toEqual(['items[*].t'])
    expect(found({ items: [{ t: null }, {}] })).toEqual(['items[1].t'])
    expect(found({ items: [] })).toEqual([])
  })

  test('an unknown word is an error that lists the valid words', () => {
    expect(() => outputSchema(z.object({ a: z.string().meta({ ensure: 'notNull' }) }))).toThrow(
      `ensure at "a" is "notNull". Use true, 'present' or 'not-empty'.`,
    )
  })
})

describe('validation', () => {
  test('gives the value as the schema makes it, or problems with paths', async () => {
    const schema = outputSchema(z.object({ items: z.array(z.object({ n: z.coerce.number().default(1) })) }))
    expect(await schema.validate({ items: [{ n: '2' }, {}] })).toEqual({
      ok: true,
      data: { items: [{ n: 2 }, { n: 1 }] },
    })
    expect(await schema.validate({ items: [{ n: 'x' }] })).toEqual({
      ok: false,
      problems: [{ path: 'items[0].n', message: expect.stringContaining('expected number'), retry: true }],
    })
  })

  test('accepts any Standard Schema with a JSON Schema', async () => {
    const source: OutputSource<{ a: string }, number> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) => {
          const { a } = value as { a: string }
          return a === 'x' ? { value: 1 } : { issues: [{ message: 'must be x', path: [{ key: 'a' }] }] }
        },
        jsonSchema: { input: () => ({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }) },
      },
    }
    const schema = outputSchema(source)
    expect(schema.has('a')).toBe(true)
    expect(await schema.validate({ a: 'x' })).toEqual({ ok: true, data: 1 })
    expect(await schema.validate({ a: 'y' })).toMatchObject({
      ok: false,
      problems: [{ path: 'a', message: 'must be x' }],
    })
  })

  test('an answer that is nested too deeply is rejected', async () => {
    let value: unknown = { name: 'leaf' }
    for (let depth = 0; depth < 20_000; depth++) value = { name: 'node', children: [value] }
    expect(await outputSchema(Tree).validate(value)).toEqual({
      ok: false,
      problems: [{ path: '', message: 'is nested too deeply', retry: true }],
    })
  })

  test('a schema without JSON Schema, or with types that JSON does not have, is refused', () => {
    expect(() => outputSchema({} as never)).toThrow('must be zod 4 or another Standard Schema')
    expect(() => outputSchema(z.object({ at: z.date() }))).toThrow('cannot be converted for a model: Date')
  })
})

test('schemas of whole answers', () => {
  const kinds = (source: OutputSource<unknown, unknown>): string[] => [...outputSchema(source).kinds].toSorted()
  expect(kinds(z.object({}))).toEqual(['object'])
  expect(kinds(z.array(z.string()))).toEqual(['list'])
  expect(kinds(z.union([z.string(), z.array(z.string())]))).toEqual(['list', 'scalar'])
  expect(kinds(z.enum(['a']).nullable())).toEqual(['scalar'])
  expect(kinds(z.any())).toEqual(['list', 'object', 'scalar'])
})

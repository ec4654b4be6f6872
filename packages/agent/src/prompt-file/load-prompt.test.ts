import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadPrompt, type PromptAction } from './load-prompt.ts'
import { parseTypeExpression } from './read-output.ts'
import { toYamlPrompt } from './write-prompt.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-prompts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const slotsOf = (actions: PromptAction[], type: 'agent' | 'turn') =>
  Object.assign({}, ...actions.flatMap((action) => (action.type === type ? [action.slots] : []))) as Record<
    string,
    unknown
  >

const jsonSchema = (schema: unknown) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema as z.ZodType, { io: 'input' })
  return rest
}

describe('a prompt file', () => {
  const text = `
.agent:
  system: You edit.
  rule:
    - cite sources
$developer: Be brief.
.request:
  info:
    style: plain
    none: null
input: the question
my block: 12
`
  it('sends keys to the agent or to the turn', () => {
    const actions = loadPrompt(text, 'yaml', {})
    expect(slotsOf(actions, 'agent')).toEqual({ system: 'You edit.', rule: ['cite sources'], developer: 'Be brief.' })
    expect(slotsOf(actions, 'turn')).toEqual({
      info: { style: 'plain', none: null },
      input: 'the question',
      'my block': 12,
    })
  })

  it('is read from a file if it exists, and from JSON5, too', () => {
    const file = path.join(folder, 'prompt.json5')
    writeFileSync(file, `// a comment\n{ '.agent': 'You edit.', execution: 1, '.execution': 'ask', input: "q", }`)
    const actions = loadPrompt(file, 'json', {})
    expect(slotsOf(actions, 'agent')).toEqual({ system: 'You edit.' })
    expect(slotsOf(actions, 'turn')).toEqual({ execution: 1, input: 'q' })
    expect(slotsOf(loadPrompt('.execution: only this', 'yaml', {}), 'turn')).toEqual({ input: 'only this' })
  })

  it.each([300, 5000, 100_000])('treats a line of %i characters as text', (length) => {
    const long = `input: ${'x'.repeat(length)}`
    expect(slotsOf(loadPrompt(long, 'yaml', {}), 'turn')['input']).toHaveLength(length)
  })

  it('finds a prompt inside of a bigger file', () => {
    const actions = loadPrompt('prompts:\n  short:\n    input: hi', 'yaml', { keyPath: 'prompts.short' })
    expect(slotsOf(actions, 'turn')).toEqual({ input: 'hi' })
  })
})

describe('mappings', () => {
  const load = (text: string, mappings: Record<string, unknown>) => loadPrompt(text, 'yaml', { mappings })

  it('are replaced in keys, values and arguments; a whole value keeps its type; unknown names stay', () => {
    const actions = load(
      `"\${slot}": "\${count}"\n"$\${scope}": "n=\${ count } \${unknown}"\n.alias:\n  info: { "\${key}": "\${list}" }`,
      { slot: 'input', count: 3, scope: 'system', key: 'k', list: [1, null] },
    )
    expect(slotsOf(actions, 'turn')).toEqual({ input: 3 })
    expect(slotsOf(actions, 'agent')).toEqual({ system: 'n=3 ${unknown}' })
    expect(actions.at(-1)).toMatchObject({ type: 'alias', method: 'info', args: [{ k: [1, null] }] })
  })

  it('write null for nothing, and never read prototypes', () => {
    expect(slotsOf(load('input: "a ${x} b ${toString}"', { x: null }), 'turn')).toEqual({
      input: 'a null b ${toString}',
    })
  })
})

describe('output notation', () => {
  const output = (text: string) => slotsOf(loadPrompt(text, 'yaml', {}), 'turn')['output'] as z.ZodType

  it('makes real types of words, maps and lists', () => {
    const schema = output(`
output:
  title: { $type: str, $desc: at most ten words, $ensure: not_empty }
  score: { .type: int, $type: str }
  tags: list[str]
  mood: { $type: "Literal[good, 'so so', 3]" }
  items:
    - name: str
      price: { $type: float, $optional: true }
  place: { $type: { city: str }, $desc: where }
  note: whatever comes to mind
`)
    expect(jsonSchema(schema)).toMatchObject({
      properties: {
        title: { type: 'string', description: 'at most ten words', ensure: 'not-empty' },
        score: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        mood: { enum: ['good', 'so so', 3] },
        items: { items: { properties: { name: { type: 'string' }, price: { type: 'number' } }, required: ['name'] } },
        place: { type: 'object', description: 'where' },
        note: { description: 'whatever comes to mind' },
      },
    })
    const answer = {
      title: 'T',
      score: 1,
      tags: [],
      mood: 'good',
      items: [{ name: 'n' }],
      place: { city: 'x' },
      note: 1,
    }
    expect(schema.safeParse(answer).success).toBe(true)
    expect(schema.safeParse({ ...answer, score: 1.5 }).success).toBe(false)
    expect(schema.safeParse({ ...answer, mood: 'bad' }).success).toBe(false)
  })

  it('can be a root list, or words about a text', () => {
    expect(jsonSchema(output('output: [{ t: str }]'))).toMatchObject({ type: 'array', items: { type: 'object' } })
    expect(output('output: three lines of verse')).toBe('three lines of verse')
  })

  it('accepts a schema from a mapping', () => {
    const schema = z.object({ a: z.string() })
    const actions = loadPrompt('output: ${schema}', 'yaml', { mappings: { schema } })
    expect(slotsOf(actions, 'turn')['output']).toBe(schema)
  })

  it.each([
    ['str', { type: 'string' }],
    ['Optional[int]', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['str | None', { type: ['string', 'null'] }],
    ['dict[str, list[float]]', { additionalProperties: { type: 'array', items: { type: 'number' } } }],
    ['Literal["a, b", true]', { enum: ['a, b', true] }],
  ])('%s is a type', (words, expected) => {
    expect(jsonSchema(parseTypeExpression(words))).toMatchObject(expected)
  })

  it.each(['strr', 'list[', 'list[str', 'Literal[]', 'a sentence of words', ''])('"%s" is none', (words) => {
    expect(parseTypeExpression(words)).toBeUndefined()
  })
})

describe('errors name file, line and key', () => {
  const file = path.join(folder, 'broken.yaml')
  const load = (text: string, format: 'yaml' | 'json' = 'yaml', keyPath?: string) => {
    writeFileSync(file, text)
    return () => loadPrompt(file, format, keyPath === undefined ? {} : { keyPath })
  }

  it.each([
    ['a: 1\nb: [1,\n', 3, '', /flow/i],
    ['a: 1\na: 2\n', 2, '', /unique/],
    [
      'input: x\noutput:\n  deep:\n    - t: { $type: strr }\n',
      4,
      'output.deep[0].t',
      /"strr" is not a type; available: str, int/,
    ],
    ['output:\n  t:\n    $type: str\n    other: 1\n', 2, 'output.t', /other cannot be combined with \$type/],
    ['output:\n  t:\n    $type: str\n    $ensure: maybe\n', 4, 'output.t', /true, false or not_empty/],
    ['.alias:\n  info: 3\n', 2, '.alias.info', /a map, \{ .args/],
    ['.alias:\n  info:\n    .args: 3\n', 3, '.alias.info..args', /must be a list/],
    ['.alias: 3\n', 1, '.alias', /a map of methods/],
    ['.kwargs: 3\n', 1, '.kwargs', /keys with a dot are/],
    ['- 1\n', 1, '', /a map of keys/],
  ])('%j', (text, line, key, message) => {
    expect(load(text)).toThrow(message)
    expect(load(text)).toThrow(expect.objectContaining({ name: 'BadPromptFile', data: { file, line, key } }))
  })

  it('in JSON5 as in YAML', () => {
    const text = `{\n  // note\n  input: 'x', /* more\n lines */\n  output: {\n    "t": { $type: 'strr' },\n  },\n}`
    expect(load(text, 'json')).toThrow(expect.objectContaining({ data: { file, line: 6, key: 'output.t' } }))
    expect(load('{\n  a: 1,\n  b: }', 'json')).toThrow(expect.objectContaining({ data: { file, line: 3, key: '' } }))
  })

  it('for an invalid key path', () => {
    expect(load('a:\n  b: 1\n', 'yaml', 'a.c')).toThrow(
      expect.objectContaining({
        data: { file, line: 1, key: 'a.c' },
        message: `${file}:1: a.c: the key does not exist`,
      }),
    )
    expect(load('a:\n  b: 1\n', 'yaml', 'a.b')).toThrow(/a map of keys/)
  })

  it('for a missing file', () => {
    expect(() => loadPrompt('nowhere/prompt.yaml', 'yaml', {})).toThrow(
      /nowhere\/prompt.yaml:1: the file does not exist/,
    )
  })
})

describe('toYamlPrompt', () => {
  it('writes a file that loads to the same prompt', () => {
    const output = z.object({
      title: z.string().describe('short').meta({ ensure: true }),
      items: z.array(z.object({ t: z.int(), deep: z.object({ x: z.literal(['a', 'b, c', 2]) }).describe('d') })),
      maybe: z.string().nullable().optional(),
      tags: z.record(z.string(), z.number()),
      exact: z.string().min(3).max(5),
    })
    const agent = { system: 'You edit.', userInfo: { name: 'Ana' }, history: [{ role: 'user', content: 'hi' }] }
    const turn = { input: '${kept} as it is', info: { z: 1, a: ['x', null] }, output, 'own block': 'two\nlines' }
    const text = toYamlPrompt(agent, turn)
    const actions = loadPrompt(text, 'yaml', {})
    expect(slotsOf(actions, 'agent')).toEqual({
      system: 'You edit.',
      user_info: { name: 'Ana' },
      chat_history: [{ role: 'user', content: 'hi' }],
    })
    const { output: loaded, ...rest } = slotsOf(actions, 'turn')
    expect(rest).toEqual({ input: '${kept} as it is', info: { z: 1, a: ['x', null] }, 'own block': 'two\nlines' })
    expect(jsonSchema(loaded)).toEqual(jsonSchema(output))
    expect(toYamlPrompt({}, { output: loaded })).toBe(toYamlPrompt({}, { output }))
  })

  it('round-trips every value', () => {
    const value = fc.jsonValue({ depthSize: 'small' })
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), value, { minKeys: 1 }), value, (info, input) => {
        const slots = { info, ...(input !== null && { input }) }
        const loaded = slotsOf(loadPrompt(toYamlPrompt({}, slots), 'yaml', {}), 'turn')
        expect(loaded).toEqual(JSON.parse(JSON.stringify(slots)))
      }),
      { examples: [[{ ' ': { '<<': false } }, []]] },
    )
  })

  it('round-trips every output that a prompt file can express', () => {
    const leaf = fc.constantFrom(
      z.string(),
      z.int(),
      z.number(),
      z.boolean(),
      z.null(),
      z.unknown(),
      z.literal(['a', 'b c', 'd, e', '3', 3, true]),
      z.union([z.string(), z.int()]),
      z.record(z.string(), z.boolean()),
      z.string().min(2),
    )
    const { schema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        tie('schema').map((one) => z.array(one)),
        tie('schema').map((one) => one.describe('said: "so", or so')),
        tie('schema').map((one) => one.meta({ ensure: 'not-empty' })),
        fc
          .dictionary(fc.stringMatching(/^[a-z_]{1,6}$/), fc.tuple(tie('schema'), fc.boolean()), {
            minKeys: 1,
            maxKeys: 3,
          })
          .map((fields) =>
            z.object(
              Object.fromEntries(
                Object.entries(fields).map(([name, [one, optional]]) => [name, optional ? one.optional() : one]),
              ),
            ),
          ),
      ),
    }))
    fc.assert(
      fc.property(schema, (output) => {
        const text = toYamlPrompt({}, { output: z.object({ output }) })
        const loaded = slotsOf(loadPrompt(text, 'yaml', {}), 'turn')['output']
        expect(jsonSchema(loaded)).toEqual(jsonSchema(z.object({ output })))
      }),
    )
  })
})

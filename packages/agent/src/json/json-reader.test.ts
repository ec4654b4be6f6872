import fc from 'fast-check'
import JSON5 from 'json5'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { anyJson } from '../../../protocol/testing/arbitrary-json.ts'
import { full, runs } from '../../../protocol/testing/test-effort.ts'
import { naughtyStrings } from '../../testing/fixtures/naughty-strings.ts'
import { invalidJson, validJson } from '../../testing/json-cases.ts'
import { outputSchema } from '../output/output-schema.ts'
import { createJsonReader, type JsonReaderOptions } from './json-reader.ts'
import type { InstantEvent, ReadResult, ResetEvent } from './path.ts'

interface Reading {
  events: (InstantEvent | ResetEvent)[]
  result: ReadResult
}

function read(pieces: Iterable<string>, options: JsonReaderOptions = {}): Reading {
  const events: Reading['events'] = []
  const reader = createJsonReader({ ...options, onEvent: (event) => events.push(event) })
  for (const piece of pieces) reader.write(piece)
  return { events, result: reader.end() }
}

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
}

/**
 * Returns the text whole, split in two at every position (every seventeenth for long texts), and character by
 * character.
 */
function everySplit(text: string): string[][] {
  const step = text.length > 300 ? 17 : 1
  const cuts = Array.from({ length: Math.max(0, Math.floor((text.length - 1) / step)) }, (_, i) => {
    return [text.slice(0, (i + 1) * step), text.slice((i + 1) * step)]
  })
  return [[text], ...cuts, pieces(text, 1)]
}

function lastRound(events: Reading['events']): InstantEvent[] {
  const start = events.findLastIndex((event) => event.type === 'reset') + 1
  return events.slice(start) as InstantEvent[]
}

function addUp(events: Reading['events']): Map<string, { text: string; value: unknown; isComplete: boolean }> {
  const sums = new Map<string, { text: string; value: unknown; isComplete: boolean }>()
  for (const { path, delta, value, isComplete } of lastRound(events)) {
    const before = sums.get(path)
    const text = before === undefined || before.isComplete ? delta : before.text + delta
    sums.set(path, { text, value, isComplete })
  }
  return sums
}

describe('texts that are JSON', () => {
  test.each(validJson)('%s', (_name, text) => {
    const expected: unknown = JSON.parse(text)
    for (const split of everySplit(text)) {
      const { events, result } = read(split)
      expect(result).toMatchObject({
        found: true,
        value: expected,
        completion: /^\s*[[{"]/.test(text) ? 'observed' : 'final',
        malformed: undefined,
      })
      expect(lastRound(events).every(({ completion }) => completion !== 'repaired')).toBe(true)
      for (const sum of addUp(events).values()) {
        expect(sum.isComplete).toBe(true)
        if (typeof sum.value === 'string') expect(sum.text).toBe(sum.value)
      }
    }
  })
})

describe('invalid JSON is repaired, and nothing is reported as observed that is not there', () => {
  test.each(invalidJson)('%s', (_name, text) => {
    const stretches = new Set<string>()
    for (let from = 0; from < text.length; from++) {
      for (let to = from + 1; to <= text.length; to++) {
        try {
          stretches.add(JSON.stringify(JSON.parse(text.slice(from, to))))
        } catch {
          // Most random substrings are not JSON.
        }
      }
    }
    const whole = read([text]).result
    for (const split of everySplit(text)) {
      const { events, result } = read(split)
      expect(result).toEqual(whole)
      for (const { completion, value } of lastRound(events)) {
        if (completion === 'observed' || completion === 'final') expect(stretches).toContain(JSON.stringify(value))
      }
    }
  })

  test('an observed root is exact JSON, regardless of the text around it', () => {
    const roots = invalidJson
      .filter(([, text]) => read([text]).result.completion === 'observed')
      .map(([, text]) => text)
    expect(roots.toSorted()).toEqual(
      // Extra text surrounds a valid value.
      ['[""],', '["x"]]', '[1]]', '[1]x', '[][]', '""x', '{"a": true} "x"', '{"a":"b"}#', '{"a":"b"}#{}', '{"a":"b"}/']
        .concat(['{"a":"b"}/**/', '{"a":"b"}/**//', '{"a":"b"}//', '{}}', 'ï»{}'])
        .toSorted(),
    )
  })
})

describe('properties', () => {
  const cutting = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
  const cut = (text: string, sizes: readonly number[]): string[] => {
    const result: string[] = []
    for (let at = 0, i = 0; at < text.length; i++) {
      const size = sizes[i % sizes.length] as number
      result.push(text.slice(at, at + size))
      at += size
    }
    return result
  }

  test('any JSON in any pieces equals JSON.parse, and its deltas add up to its values', () => {
    fc.assert(
      fc.property(anyJson, cutting, fc.constantFrom(undefined, 2, '\t'), (value, sizes, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { events, result } = read(cut(text, sizes))
        expect(result.value).toEqual(JSON.parse(text))
        expect(result.malformed).toBeUndefined()
        for (const [path, sum] of addUp(events)) {
          expect(sum.isComplete).toBe(true)
          expect(valueAt(result.value, path, events)).toEqual(sum.value)
          if (typeof sum.value === 'string') expect(sum.text).toBe(sum.value)
        }
      }),
      runs(400),
    )
  })

  test('keys with a backslash are read in any pieces', () => {
    const text = String.raw`{"c\\":1,"\\n":2,"\"":3}`
    for (const split of everySplit(text)) expect(read(split).result.value).toEqual({ 'c\\': 1, '\\n': 2, '"': 3 })
  })

  test('no chunk ends with half a character, unless the text does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), cutting, fc.boolean(), (string, sizes, escaped) => {
        const json = JSON.stringify([string])
        const text = escaped
          ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : json
        const { events } = read(cut(text, sizes))
        return events.every((event) => event.type === 'reset' || event.delta.isWellFormed())
      }),
      runs(200),
    )
    expect(read(pieces(String.raw`["\ud83d\ude00"]`, 1)).result.value).toEqual(['😀'])
  })

  test('JSON5 is read as a JSON5 parser reads it', () => {
    const text = fc.string({ unit: 'grapheme-ascii', maxLength: 12 })
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(text, fc.constantFrom('a', 'b_2', 'ä')), tie('value'), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
      ),
    })).value
    const holder = fc.dictionary(fc.constantFrom('a', 'b', 'c d'), value, { minKeys: 1, noNullPrototype: true })
    fc.assert(
      fc.property(holder, cutting, fc.constantFrom(undefined, 2), (object, sizes, space) => {
        const json5 = JSON5.stringify(object, null, space)
        const { result } = read(cut(json5, sizes))
        expect(result.value).toEqual(JSON5.parse(json5))
        expect(result.malformed).toBeUndefined()
      }),
      runs(400),
    )
  })

  test('any text in any chunks gives the same result and never throws', () => {
    const signs =
      '{ } [ ] , : " \' \\ / * // /* */ ` ``` a 1 - . e true nul \\u D83D “ ” ： ， {"a": "b": [1,2 __proto__'
    const scrap = fc.constantFrom(...signs.split(' '), ' ', '\n', '\ud83d', '\u0000')
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 40 }), cutting, (scraps, sizes) => {
        const text = scraps.join('')
        expect(read(cut(text, sizes)).result).toEqual(read([text]).result)
      }),
      runs(1500),
    )
  })

  test('valid JSON that is cut anywhere gives a prefix of itself, marked as cut', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyJson, { minKeys: 1 }), fc.nat(), (value, at) => {
        const text = JSON.stringify(value)
        const { result } = read([text.slice(0, 1 + (at % (text.length - 1)))])
        expect(result.completion).not.toBe('observed')
        expect(result.malformed).toBeDefined()
      }),
    )
  })
})

function valueAt(root: unknown, path: string, events: Reading['events']): unknown {
  if (path === '') return root
  return lastRound(events).findLast((event) => event.path === path && event.isComplete)?.value
}

test('naughty strings are values like any other', () => {
  const value = { list: naughtyStrings, map: Object.fromEntries(naughtyStrings.map((text) => [`k${text}`, text])) }
  const text = JSON.stringify(value)
  for (const size of [1, 3, 4096]) {
    const { events, result } = read(pieces(text, size))
    expect(result).toMatchObject({ value, completion: 'observed', malformed: undefined })
    const sums = addUp(events)
    for (const [index, string] of naughtyStrings.entries()) expect(sums.get(`list[${index}]`)?.text).toBe(string)
  }
})

describe('almost valid JSON is read as intended', () => {
  const cases: [name: string, text: string, value: unknown][] = [
    ['prose around it', 'Sure! Here it is:\n{"a": 1}\nAnything else?', { a: 1 }],
    ['braces in prose', 'Use {curly} braces, {{mustaches}} or {a b}: {"a": 1}', { a: 1 }],
    ['brackets in prose', 'As [the docs](http://x) and [1: say: {"a": [1]}', { a: [1] }],
    ['a fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a fence without a language, and prose', 'So:\n\n```\n[1, 2]\n```\nDone.', [1, 2]],
    ['a fence on one line', '```{"a": 1}```', { a: 1 }],
    ['a scalar in a fence', '```json\n"yes"\n```', 'yes'],
    ['line comments', '{"a": 1, // one\n"b": 2 // two\n}', { a: 1, b: 2 }],
    ['block comments', '{/* x */"a"/**/:/* "b": 2 **/1/***/}', { a: 1 }],
    ['trailing commas', '{"a": [1, 2,], "b": {"c": 1,},}', { a: [1, 2], b: { c: 1 } }],
    ['single quotes', "{'a': 'x', 'b': ['it\\'s', 'it's', '\"']}", { a: 'x', b: ["it's", "it's", '"'] }],
    ['typographic quotes', '{“a”: “x "y"”, „b“: „z“, ‘c’: ‘d’}', { a: 'x "y"', b: 'z', c: 'd' }],
    ['full-width punctuation', '{＂a＂： 1， "b"：2}', { a: 1, b: 2 }],
    ['raw newlines and tabs in strings', '{"a": "x\n\ty\r\nz"}', { a: 'x\n\ty\r\nz' }],
    ['bare keys', '{a: 1, b_2: {c: "x"}}', { a: 1, b_2: { c: 'x' } }],
    [
      'other spellings of numbers and words',
      '[+1, .5, 1., 0x1F, 007, True, None, -Infinity]',
      [1, 0.5, 1, 31, 7, true, null, -Infinity],
    ],
    [
      'escapes that JSON does not have',
      String.raw`{"a": "C:\Users \d+ \alpha \x41 \'", "b": "\u12"}`,
      { a: String.raw`C:\Users \d+ \alpha \x41 '`, b: String.raw`\u12` },
    ],
    ['other white space', '\ufeff{\u00a0"a":\u30001\f}', { a: 1 }],
  ]
  test.each(cases)('%s', (_name, text, value) => {
    for (const split of everySplit(text)) {
      const { result, events } = read(split)
      expect(result.value).toEqual(value)
      expect(result.malformed).toBeUndefined()
      expect(events.filter(({ type }) => type === 'reset')).toEqual([])
    }
  })

  test('only repaired values are marked as repaired', () => {
    const { events } = read(['{"a": [1, 2,], "b": "x", \'c\': "y", "d": "p\nq", "e": {"f": 1}}'])
    const completions = Object.fromEntries(
      lastRound(events).flatMap(({ path, completion }) => (completion === undefined ? [] : [[path, completion]])),
    )
    expect(completions).toEqual({
      'a[0]': 'observed',
      'a[1]': 'observed',
      a: 'repaired',
      b: 'observed',
      c: 'observed',
      d: 'repaired',
      e: 'observed',
      'e.f': 'observed',
      '': 'repaired',
    })
  })
})

describe('broken JSON is repaired and marked as malformed', () => {
  const cases: [name: string, text: string, value: unknown, malformed: string][] = [
    ['cut in a string', '{"a": [{"b": "x y', { a: [{ b: 'x y' }] }, 'The JSON is cut off in a[0].b.'],
    ['cut in an escape', String.raw`{"a": "x\u00`, { a: 'x' }, 'The JSON is cut off in a.'],
    ['cut between a pair', String.raw`{"a": "x\ud83d`, { a: 'x\ud83d' }, 'The JSON is cut off in a.'],
    ['cut in a number', '{"a": 12.', { a: 12 }, 'The JSON is cut off.'],
    ['cut in a word', '[true, fal', [true, false], 'The JSON is cut off.'],
    ['cut in a key', '{"a": 1, "b', { a: 1 }, 'The JSON is cut off.'],
    ['cut behind a key', '{"a": 1, "b"', { a: 1 }, 'The JSON is cut off.'],
    ['cut behind a colon', '{"a": 1, "b":', { a: 1 }, 'The JSON is cut off.'],
    ['cut behind a comma', '{"a": [1,', { a: [1] }, 'The JSON is cut off in a.'],
    ['cut in a comment', '{"a": 1 /* and', { a: 1 }, 'The JSON is cut off.'],
    ['cut by the fence', '```json\n{"a": [1, 2\n```\nThat is {"b"}.', { a: [1, 2] }, 'The JSON is cut off in a.'],
    ['a missing comma', '{"a": 1 "b": 2}', { a: 1, b: 2 }, 'A comma is missing.'],
    ['missing commas between strings', '["a" "b"]', ['a', 'b'], 'A comma is missing.'],
    ['a missing colon', '{"a": 1, "b" 2}', { a: 1, b: 2 }, 'A colon is missing.'],
    ['a missing bracket', '{"a": [1, 2}', { a: [1, 2] }, 'The brackets do not match in a.'],
    ['a bracket too many', '{"a": 1]}', { a: 1 }, 'The brackets do not match.'],
    ['unquoted text', '{"a": hello there, "b": 2}', { a: 'hello there', b: 2 }, 'There is a stray word.'],
    ['a missing value', '{"a": , "b": 2}', { b: 2 }, 'A value is missing.'],
    ['no JSON', 'I cannot do that.', undefined, 'There is no JSON object or list or scalar in the answer.'],
  ]
  test.each(cases)('%s', (_name, text, value, malformed) => {
    for (const split of everySplit(text)) {
      const { result } = read(split)
      expect(result.value).toEqual(value)
      expect(result.malformed).toBe(malformed)
      expect(result.completion).toBe(value === undefined ? undefined : 'repaired')
    }
  })
})

describe('numbers and words', () => {
  test('a number is complete only after the character that follows it', () => {
    const reader = createJsonReader({ onEvent: (event) => events.push(event as InstantEvent) })
    const events: InstantEvent[] = []
    const scores = (): unknown[] => events.filter((event) => event.path === 'score').map((event) => event.value)
    for (const piece of ['{"score": 0', '.', '95', ' ']) {
      reader.write(piece)
      expect(scores()).toEqual([])
    }
    reader.write('}')
    expect(scores()).toEqual([0.95])
  })

  test('a number that is the whole answer is complete at the end of the text', () => {
    const { events } = read(['4', '2'])
    expect(events).toEqual([
      {
        type: 'value',
        path: '',
        wildcardPath: '',
        indexes: [],
        value: 42,
        delta: '42',
        isComplete: true,
        completion: 'final',
      },
    ])
  })
})

describe('several blocks', () => {
  const schema = outputSchema(z.object({ title: z.string(), items: z.array(z.string()) }))
  const resets = (events: Reading['events']): number => events.filter(({ type }) => type === 'reset').length

  test('the block that best matches the schema is the answer, and readers of another block get a reset', () => {
    const text = 'An example: {"foo": 1}. {"title": "draft"} And now {"title": "x", "items": ["a"]} for {"title": "y"}'
    for (const split of everySplit(text)) {
      const { events, result } = read(split, { schema })
      expect(result).toMatchObject({
        value: { title: 'x', items: ['a'] },
        completion: 'observed',
        malformed: undefined,
      })
      expect(resets(events)).toBe(2)
      const sums = addUp(events)
      expect(sums.get('title')).toEqual({ text: 'x', value: 'x', isComplete: true })
      expect(sums.get('items[0]')).toEqual({ text: 'a', value: 'a', isComplete: true })
    }
  })

  test('of equal blocks, the first wins', () => {
    const { events, result } = read(['{"title": "x", "items": []} or {"title": "y", "items": []}'], { schema })
    expect(result.value).toEqual({ title: 'x', items: [] })
    expect(resets(events)).toBe(0)
  })

  test('the format repeated in prose loses against the answer', () => {
    const text = 'I will use {"title": <string>, "items": [<string>, ...]} here.\n{"title": "x", "items": []}'
    expect(read([text], { schema }).result).toMatchObject({ value: { title: 'x', items: [] }, malformed: undefined })
  })

  test('fields of the wrong type do not count', () => {
    const text = '{"title": 1, "items": "none"} {"title": "x"}'
    expect(read([text], { schema }).result.value).toEqual({ title: 'x' })
  })

  test('only blocks that can match the schema are considered: an object in a list, a list in an object', () => {
    expect(read(['see [1]: [{"title": "x", "items": []}]'], { schema }).result.value).toEqual({ title: 'x', items: [] })
    const list = outputSchema(z.array(z.object({ title: z.string() })))
    expect(read(['{"items": [{"title": "x"}]}'], { schema: list }).result.value).toEqual([{ title: 'x' }])
    expect(read(['see [1] and [2]: [{"title": "x"}]'], { schema: list }).result.value).toEqual([{ title: 'x' }])
  })

  test('without a schema, the block with the most content is the answer', () => {
    expect(read(['function f() {} [1] {"a": {"b": 2}} []']).result.value).toEqual({ a: { b: 2 } })
  })
})

describe('events', () => {
  test('have path, progress and completion', () => {
    const { events } = read(['{"items": [{"ti', 'tle": "a', 'b"}], "n": nu', 'll}'])
    const shown = events.map((event) =>
      event.type === 'reset' ? 'reset' : [event.path, event.wildcardPath, event.indexes, event.delta, event.completion],
    )
    expect(shown).toEqual([
      ['', '', [], '', undefined],
      ['items', 'items', [], '', undefined],
      ['items[0]', 'items[*]', [0], '', undefined],
      ['items[0].title', 'items[*].title', [0], 'a', undefined],
      ['items[0].title', 'items[*].title', [0], 'b', 'observed'],
      ['items[0]', 'items[*]', [0], '', 'observed'],
      ['items', 'items', [], '', 'observed'],
      ['n', 'n', [], 'null', 'observed'],
      ['', '', [], '', 'observed'],
    ])
  })

  test('have paths in slash style, for root lists, and with quoted keys', () => {
    const paths = (text: string, pathStyle: 'dot' | 'slash'): string[] =>
      lastRound(read([text], { pathStyle }).events)
        .filter(({ isComplete }) => isComplete)
        .map(({ path, wildcardPath }) => `${path} ${wildcardPath}`)
    expect(paths('[{"t": [1]}]', 'dot')).toEqual(['[0].t[0] [*].t[*]', '[0].t [*].t', '[0] [*]', ' '])
    expect(paths('[{"t": [1]}]', 'slash')).toEqual(['0/t/0 */t/*', '0/t */t', '0 *', ' '])
    const odd = '{"a.b": {"c/d": 1, "": 2, "0": 3, "*": 4, "e\\"f": 5, "g h": 6}}'
    expect(paths(odd, 'dot').map((line) => line.split('  ')[0])).toEqual(
      ['["c/d"]', '[""]', '["0"]', '["*"]', '["e\\"f"]', '.g h', '']
        .map((end) => `["a.b"]${end} ["a.b"]${end}`)
        .concat(' '),
    )
    expect(paths(odd, 'slash')).toEqual(
      ['/"c/d"', '/""', '/"0"', '/"*"', '/"e\\"f"', '/g h', ''].map((end) => `"a.b"${end} "a.b"${end}`).concat(' '),
    )
  })

  test('share one live list instead of copies', () => {
    const { events, result } = read(pieces('{"items": [1, 2, 3]}', 1))
    const lists = lastRound(events).filter(({ path }) => path === 'items')
    expect(lists).toHaveLength(2)
    for (const { value } of lists) expect(value).toBe((result.value as { items: unknown }).items)
  })
})

describe('hostile texts', () => {
  test('a hundred thousand nested lists, closed or not', () => {
    const open = '['.repeat(100_000)
    const { result } = read(pieces(`${open}1${']'.repeat(100_000)}`, 4))
    expect(result.completion).toBe('observed')
    let depth = 0
    for (let at = result.value; Array.isArray(at); at = at[0] as unknown) depth++
    expect(depth).toBe(100_000)
    expect(read(pieces(open, 4)).result.found).toBe(false)
    expect(read(pieces(`${open}1`, 4)).result).toMatchObject({ found: true, completion: 'repaired' })
  })

  test('values deeper than 256 levels are read without events', () => {
    const { events } = read([`${'['.repeat(300)}1${']'.repeat(300)}`])
    expect(Math.max(...lastRound(events).map(({ indexes }) => indexes.length))).toBe(256)
  })

  test('a key named __proto__ is a normal key', () => {
    const text = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}, "a": 1}'
    const { result } = read(pieces(text, 3))
    expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('a long text of any kind is read in small chunks', () => {
    const length = full ? 1_200_000 : 120_000
    const texts: Record<string, [text: string, check: (result: ReadResult) => boolean]> = {
      'one string': [`{"a": "${'x'.repeat(length)}"}`, ({ value }) => (value as { a: string }).a.length === length],
      'one number': [`[${'1'.repeat(length)}]`, ({ value }) => (value as unknown[])[0] === Infinity],
      'one word': [`{"a": 1, "b": ${'y'.repeat(length)}`, ({ malformed }) => malformed !== undefined],
      'half pairs': [`["${'\\ud83d'.repeat(length / 6)}"]`, ({ completion }) => completion === 'observed'],
      'one key': [`{"${'k'.repeat(length)}": 1}`, ({ completion }) => completion === 'observed'],
      'opening braces': ['{'.repeat(length), ({ found }) => !found],
      backticks: ['`'.repeat(length), ({ found }) => !found],
      'small blocks': ['{"a": 1} '.repeat(length / 9), ({ value }) => (value as { a: number }).a === 1],
      'blocks, each a little better': [
        Array.from({ length: 600 }, (_, i) => JSON.stringify(Array.from({ length: i }, () => i))).join(' '),
        ({ value }) => (value as unknown[]).length === 599,
      ],
      'a record': [
        JSON.stringify(Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`key ${i}`, i]))),
        ({ value }) => (value as Record<string, number>)['key 14999'] === 14_999,
      ],
      'brackets that never match': [
        `${'['.repeat(length / 2)}1${'}'.repeat(length / 2)}`,
        ({ malformed }) => malformed === 'The brackets do not match.',
      ],
      commas: [`[1${','.repeat(length)}`, ({ malformed }) => malformed !== undefined],
      comments: [`[1, ${'/**/'.repeat(length / 4)}2]`, ({ value }) => (value as unknown[]).length === 2],
    }
    const failed = Object.entries(texts).filter(([, [text, check]]) => {
      const reader = createJsonReader({ onEvent: () => undefined })
      for (const piece of pieces(text, 4)) reader.write(piece)
      return !check(reader.end())
    })
    expect(failed.map(([name]) => name)).toEqual([])
  })
})

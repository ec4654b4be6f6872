import { parsePartialJson as parseByTheSdk } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyInput, anyJson, anyText } from '../testing/arbitrary-json.ts'
import { cost, patience, runs } from '../testing/test-effort.ts'
import { parsePartialJson } from './fold-calls.ts'

const anySpacing = fc.constantFrom(undefined, 1, '\t')
const anyName = anyText.filter((name) => !name.includes('\\'))

describe('a JSON text that ends anywhere', { timeout: patience }, () => {
  it('gives a prefix of the whole value', () => {
    fc.assert(
      fc.property(anyJson, anySpacing, (value, spacing) => {
        const text = JSON.stringify(value, null, spacing)
        const parts = prefixes(text).map(parsePartialJson)
        expect(parts.filter((part) => part !== undefined && !isBeginning(part, JSON.parse(text)))).toEqual([])
        expect(parsePartialJson(text)).toEqual(JSON.parse(text))
      }),
      runs(150),
    )
  })

  it('gives of an object all members that are whole', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyName, anyJson), { maxLength: 5 }), (members) => {
        const named = members.map(([name, value], n) => [`${n}${name}`, value] as const)
        for (let count = 0; count <= named.length; count++) {
          const text = named.slice(0, count).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
          const wanted = JSON.parse(`{${text.join(',')}}`)
          expect(parsePartialJson(`{${text.join(',')}`)).toEqual(wanted)
          expect(parsePartialJson(`{${text.map((member) => `${member} ,`).join('')} "next`)).toEqual(wanted)
        }
      }),
      runs(100),
    )
  })

  it('gives keys with a backslash', () => {
    expect(parsePartialJson(String.raw`{"c\\":1,"\\n":2,"\"":3,"d`)).toEqual({ 'c\\': 1, '\\n': 2, '"': 3 })
  })

  it('gives the AI SDK’s result', async () => {
    await fc.assert(
      fc.asyncProperty(anyInput, anySpacing, async (value, spacing) => {
        const text = JSON.stringify(value, null, spacing)
        const wanted = await Promise.all(prefixes(text).map(async (prefix) => (await parseByTheSdk(prefix)).value))
        expect(prefixes(text).map(parsePartialJson)).toEqual(wanted)
      }),
      runs(100),
    )
  })

  it('never throws, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.string({ unit: fc.constantFrom(...'{ } [ ] " , : \\ u 0 e - . 1 t f n'.split(' '), ' ') }),
        ),
        (text) => {
          expect(() => parsePartialJson(text)).not.toThrow()
        },
      ),
      runs(1000),
    )
  })

  it.each([
    ['', undefined],
    ['  ', undefined],
    ['{', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: '' }],
    ['{"a":"x\\', { a: 'x' }],
    ['{"a":"x\\u00', { a: 'x' }],
    ['{"a":"x\\u00e4', { a: 'xä' }],
    ['{"a":"x","b', { a: 'x' }],
    ['{"a\\"b":1,"c', { 'a"b': 1 }],
    ['{"a":tr', { a: true }],
    ['{"a":-', {}],
    ['{"a":12.', { a: 12 }],
    ['{"a":1e+', { a: 1 }],
    ['{"a":1e+2', { a: 100 }],
    ['[1,{"a":[', [1, { a: [] }]],
    ['[1, 2 ', [1, 2]],
    ['"no object', 'no object'],
    ['nul', null],
    ['{"a": what', {}],
    ['{"a": what, "b": 1', undefined],
    ['no JSON at all', undefined],
    ['{"a":"raw\nline"', undefined],
  ])('%j', (text, wanted) => {
    expect(parsePartialJson(text)).toEqual(wanted)
  })

  it('treats a key such as __proto__ as a normal key', () => {
    const value = parsePartialJson('{"__proto__": {"polluted": true}, "a": 1') as Record<string, unknown>
    expect(value['polluted']).toBeUndefined()
    expect(Object.keys(value)).toEqual(['__proto__', 'a'])
  })

  it('may be 10,000 brackets deep', () => {
    let value = parsePartialJson('[{"a":'.repeat(10_000))
    let depth = 0
    while (Array.isArray(value)) {
      value = (value[0] as Record<string, unknown>)['a']
      depth++
    }
    expect(depth).toBe(10_000)
  })

  it.each([
    ['a long string', (size: number) => `{"content":"${'word \\n'.repeat(size)}`],
    ['many members', (size: number) => `{${'"a":[1,{}],'.repeat(size)}"b`],
    ['many brackets', (size: number) => '['.repeat(size)],
    ['a long escape', (size: number) => `"${'\\'.repeat(size)}`],
  ])('takes linear time: %s', async (_, make) => {
    const small = make(10_000)
    const large = make(100_000)
    const perSmall = await cost(() => parsePartialJson(small))
    const perLarge = (await cost(() => parsePartialJson(large))) / 10
    expect(perLarge).toBeLessThan(Math.max(6 * perSmall, 4))
  })
})

/** True if a value can be a prefix of another: only its last element may be incomplete. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (typeof part === 'number') return typeof whole === 'number'
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null) return part === whole
  const members = Object.entries(part)
  const unfinished = members.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(whole[key as never]))
  return (
    unfinished.length <= 1 &&
    members.every(([key, value]) => Object.hasOwn(whole, key) && isBeginning(value, whole[key as never]))
  )
}

function prefixes(text: string): string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length))
}

import { isDeepStrictEqual } from 'node:util'
import { longestPause, pauseLimitMs } from '@troupe/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

const limits = { depth: 1000, values: 10_000_000 }
const parse = (text: string): Promise<unknown> => parseJson(Buffer.from(text), limits)

/** Makes a value too large to parse at once, at any position. */
const filler = 'x'.repeat(40 * 1024)

describe('parsing JSON in slices', () => {
  it('equals JSON.parse', async () => {
    const grown = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.constant(filler),
        fc.array(tie('any'), { maxLength: 5 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('any'), { maxKeys: 5 }),
      ),
    })).any
    await fc.assert(
      fc.asyncProperty(grown, fc.constantFrom(undefined, 1, '\t'), async (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(await parse(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })

  it('rejects what JSON.parse rejects', async () => {
    const large = JSON.stringify({ a: [filler, filler, { b: [filler, filler], c: 1 }, [filler, filler]], d: filler })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('{', '}', '[', ']', ',', ':', '"', ' ', '1', 'x'),
        fc.constantFrom(...structuralPlaces(large)),
        fc.constantFrom(0, 1),
        async (character, place, removed) => {
          const text = large.slice(0, place) + character + large.slice(place + removed)
          const [own, native] = [await outcome(() => parse(text)), await outcome(() => JSON.parse(text))]
          expect(own === native, `${character} at ${place}`).toBe(true)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('equals JSON.parse for strings of any length, with escapes and characters at every cut', async () => {
    for (const piece of ['x', 'é', '😀', '\\u00e9', '\\"', '\\\\', '\\n', 'ab\\ud83d\\ude00', 'a\\u005c"'.slice(0, 7)])
      for (const before of ['', 'ab']) {
        const long = before + piece.repeat(Math.ceil(600_000 / Buffer.byteLength(piece)))
        for (const text of [`"${long}"`, ` {"a":1,"b":"${long}","c":["${long}"]} `])
          expect(isDeepStrictEqual(await parse(text), JSON.parse(text))).toBe(true)
      }
    const long = 'x'.repeat(600_000)
    for (const text of [`"${long}`, `"${long}" 1`, `{"${long}":1}x`, `["${long}" 1]`, `["${long}"`, `{"a" "${long}"}`])
      await expect(parse(text)).rejects.toMatchObject({ kind: 'BadJson' })
  })

  it.each([
    ['one string', `{"a":"${'a'.repeat(30_000_000)}"}`],
    ['one string of escapes', `"${'\\u0041'.repeat(5_000_000)}"`],
    ['one string of quotes', `{"a":["${'\\"'.repeat(5_000_000)}"]}`],
  ])('keeps the event loop free with %s', async (_, text) => {
    const bytes = Buffer.from(text)
    const { pauseMs } = await longestPause(() => parseJson(bytes, limits).catch(() => undefined))
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })

  it('keeps the event loop free with bytes that are no text', async () => {
    const bytes = Buffer.alloc(30_000_000, 0xff)
    const { pauseMs } = await longestPause(() =>
      expect(parseJson(bytes, limits)).rejects.toMatchObject({ kind: 'BadJson' }),
    )
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })

  it('keeps the event loop free with many keys, and counts values and levels before it builds anything', async () => {
    const keys = Array.from({ length: 60_000 }, (_, i) => `"key${i}":{"a":[${i}]}`).join(',')
    const bytes = Buffer.from(`{"message":{${keys}}}`)
    const { result, pauseMs } = await longestPause(() => parseJson(bytes, limits))
    expect(Object.keys((result as { message: object }).message)).toHaveLength(60_000)
    expect(pauseMs).toBeLessThan(pauseLimitMs)
    await expect(parseJson(bytes, { ...limits, values: 50_000 })).rejects.toMatchObject({ kind: 'TooManyValues' })
    await expect(parse('['.repeat(2_000_000))).rejects.toMatchObject({ kind: 'TooDeep' })
  })
})

function structuralPlaces(text: string): number[] {
  return Array.from(text.matchAll(/[{}[\],:"]/g), ({ index }) => index)
}

async function outcome(work: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await work())
  } catch {
    return 'refused'
  }
}

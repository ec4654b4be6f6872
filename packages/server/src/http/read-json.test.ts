import { longestPause, pauseLimitMs } from '@troupe/core/testing'
import { expect, it } from 'vitest'
import { readJson, refuseProtoKeys } from './app.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const read = (text: string): Promise<unknown> => readJson(Buffer.from(text))

it('nesting is accepted up to 1,000 levels and rejected beyond, before parsing', async () => {
  expect(await read(nested(1000))).toBeInstanceOf(Array)
  await expect(read(nested(1001))).rejects.toThrow('deeper than 1000')
  await expect(read('{"a":'.repeat(1001))).rejects.toThrow('deeper than 1000')
  const brackets = Buffer.from('['.repeat(30_000_000))
  const { pauseMs } = await longestPause(() => expect(readJson(brackets)).rejects.toThrow('deeper'))
  expect(pauseMs).toBeLessThan(pauseLimitMs)
})

it('a body of a million keys is refused without a pause', async () => {
  const keys = Array.from({ length: 1_200_000 }, (_, i) => `"k${i}":0`).join(',')
  const body = Buffer.from(`{"message":{${keys}}}`)
  const { pauseMs } = await longestPause(() =>
    expect(readJson(body)).rejects.toMatchObject({ name: 'TooManyValues', status: 413 }),
  )
  expect(pauseMs).toBeLessThan(pauseLimitMs)
})

it('brackets inside strings do not count, with any escapes', async () => {
  const texts = [
    '['.repeat(5000),
    `\\${'['.repeat(2000)}`,
    `"${'{'.repeat(2000)}`,
    `\\"${'['.repeat(2000)}`,
    '\\\\',
    `${'\\'.repeat(99)}"[`,
  ]
  for (const text of texts) expect(await read(JSON.stringify({ text, list: [text] }))).toEqual({ text, list: [text] })
  await expect(read(`"never ends ${'['.repeat(2000)}`)).rejects.toThrow('not valid JSON')
})

it('a prototype key is found at any position and in any spelling', async () => {
  for (const text of [
    '{"__proto__":1}',
    '[{"a":[{"__proto__":{}}]}]',
    '{"\\u005f_proto__":1}',
    '{"__\\u0070roto__":1}',
  ]) {
    const value = await read(text)
    expect(() => refuseProtoKeys(value, Buffer.from(text))).toThrow('__proto__')
  }
  const harmless = '{"text":"__proto__","list":["__proto__"],"proto":{"constructor":1}}'
  const value = await read(harmless)
  expect(() => refuseProtoKeys(value, Buffer.from(harmless))).not.toThrow('__proto__')
})

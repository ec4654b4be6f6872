import { expect, it } from 'vitest'
import { readJson, refuseProtoKeys } from './read-json.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

it('nesting is taken up to 1,000 levels and refused beyond, before anything is parsed', () => {
  expect(readJson(nested(1000))).toBeInstanceOf(Array)
  expect(() => readJson(nested(1001))).toThrow('deeper than 1000')
  expect(() => readJson('{"a":'.repeat(1001))).toThrow('deeper than 1000')
  const begun = performance.now()
  expect(() => readJson('['.repeat(30_000_000))).toThrow('deeper')
  expect(performance.now() - begun).toBeLessThan(500)
})

it('brackets inside of texts do not count, whatever is escaped around them', () => {
  const texts = [
    '['.repeat(5000),
    `\\${'['.repeat(2000)}`,
    `"${'{'.repeat(2000)}`,
    `\\"${'['.repeat(2000)}`,
    '\\\\',
    `${'\\'.repeat(99)}"[`,
  ]
  for (const text of texts) expect(readJson(JSON.stringify({ text, list: [text] }))).toEqual({ text, list: [text] })
  expect(() => readJson(`"never ends ${'['.repeat(2000)}`)).toThrow('not valid JSON')
})

it('a key that some take for the prototype is found wherever it stands and however it is spelled', () => {
  for (const text of [
    '{"__proto__":1}',
    '[{"a":[{"__proto__":{}}]}]',
    '{"\\u005f_proto__":1}',
    '{"__\\u0070roto__":1}',
  ]) {
    expect(() => refuseProtoKeys(readJson(text), text)).toThrow('__proto__')
  }
  const harmless = '{"text":"__proto__","list":["__proto__"],"proto":{"constructor":1}}'
  expect(() => refuseProtoKeys(readJson(harmless), harmless)).not.toThrow('__proto__')
})

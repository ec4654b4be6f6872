import { redact } from '../text/format.ts'
import { expect, test } from 'vitest'
import { maskKeys } from './error-facts.ts'

test('every occurrence of every secret is replaced, and placeholders are kept', () => {
  expect(
    redact('key canary-0001-abcdef and canary-0001-abcdef, again secret-two', [
      'canary-0001-abcdef',
      'secret-two',
      'key',
    ]),
  ).toBe('key [redacted] and [redacted], again [redacted]')
})

test('text that looks like a key is masked even if the key is unknown', () => {
  expect(
    maskKeys('Incorrect API key provided: sk-proj-abcdefghijklmnop1234. Header was Bearer abcdefghijklmnopqrstuv'),
  ).toBe('Incorrect API key provided: [redacted]. Header was [redacted]')
})

test('a multi-line secret is also removed from JSON, where line breaks and quotes are escaped', () => {
  const secret = '-----BEGIN KEY-----\nab"c\\d\n-----END KEY-----'
  expect(redact(`it is ${secret}.`, [secret])).toBe('it is [redacted].')
  expect(JSON.parse(redact(JSON.stringify({ text: `it is ${secret}.` }), [secret]))).toEqual({
    text: 'it is [redacted].',
  })
})

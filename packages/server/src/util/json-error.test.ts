import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonError } from './json.ts'

test('valid JSON has no error', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (text, indent) => {
      expect(findJsonError(JSON.stringify(JSON.parse(text), null, indent))).toBeUndefined()
    }),
  )
})

test('invalid JSON has an error, wherever the text was damaged', () => {
  const damaged = fc.tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ unit: 'binary-ascii', maxLength: 2 }))
  fc.assert(
    fc.property(damaged, ([text, where, count, instead]) => {
      const at = where % (text.length + 1)
      const broken = text.slice(0, at) + instead + text.slice(at + count)
      expect(findJsonError(broken) === undefined).toBe(parses(broken))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['{', 1, 2, 'a name in double quotes'],
  ['[1\n', 2, 1, '"]" is missing'],
  ['', 1, 1, 'ends too early'],
  ['{"a": 1,\n}', 2, 1, 'a name in double quotes'],
  ['{"a": "b\n}', 1, 7, 'does not end'],
  ['{"a": "\\x"}', 1, 8, 'escaped'],
  ['{"a" 1}', 1, 6, '":" is expected'],
  ['{} {}', 1, 4, 'nothing may follow'],
  ["{'a': 1}", 1, 2, 'double quotes'],
])('%j stops being JSON at line %i, column %i', (text, line, column, message) => {
  expect(findJsonError(text)).toEqual({ line, column, message: expect.stringContaining(message) })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonRecords } from './json-records.ts'
import type { RecordChanges } from './record-changes.ts'

const nothing: RecordChanges = { deleted: new Set(), changed: new Map(), added: [] }
const value = (row: number, text: string | null): RecordChanges['changed'] => new Map([[row, new Map([[1, text]])]])

test.each<[string, string, Partial<RecordChanges>, string]>([
  ['a value', '[{"a": 1, "b": [1, "]"]}]', { changed: value(0, '{"c":2}') }, '[{"a": 1, "b": {"c":2}}]'],
  ['a missing property', '[{"a":1},{"b":2}]', { changed: value(0, '"x"') }, '[{"a":1, "b":"x"},{"b":2}]'],
  ['an empty object', '{}\n{"b": 1}\n', { changed: value(0, '2') }, '{"b": 2}\n{"b": 1}\n'],
  ['null', '{"b": 1}', { changed: value(0, null) }, '{"b": null}'],
  ['the first, the last and all', '[\n{"a":1},\n{"a":2},\n{"a":3}\n]', { deleted: new Set([0, 2]) }, '[\n{"a":2}\n]'],
  ['all', '[ {"a":1} ]\n', { deleted: new Set([0]) }, '[  ]\n'],
  ['one line each', '{"a":1,"b":2}\n', { added: [['3', null]] }, '{"a":1,"b":2}\n{"a":3}\n'],
  [
    'indented as the first',
    '[\n  {\n    "a" : 1,\n    "b" : 2\n  }\n]',
    { added: [['3', '4']] },
    '[\n  {\n    "a" : 1,\n    "b" : 2\n  },\n  {\n    "a" : 3,\n    "b" : 4\n  }\n]',
  ],
  [
    'escaped names',
    '[{"\\u0061":1, "b":"\\"}"}]',
    { changed: new Map([[0, new Map([[0, '9']])]]) },
    '[{"\\u0061":9, "b":"\\"}"}]',
  ],
])('%s', (_, text, changes, after) => {
  expect(jsonRecords(text, ['a', 'b']).apply({ ...nothing, ...changes })).toBe(after)
})

test('what is no list of objects is refused, and so is a property that no object has', () => {
  expect(() => jsonRecords('[1, 2]', ['json'])).toThrow('Only lists of objects')
  expect(() => jsonRecords('[{"a": 1}]', ['a', 'z']).apply({ ...nothing, changed: value(0, '1') })).toThrow('"z"')
})

test('a file with a single object stays one', () => {
  const records = jsonRecords('{"a": 1, "b": 2}', ['a', 'b'], false)
  expect(() => records.apply({ ...nothing, added: [['1', '2']] })).toThrow('a single object')
  expect(records.apply({ ...nothing, changed: value(0, '3') })).toBe('{"a": 1, "b": 3}')
})

test('without a change every character stays, and a change is read back', () => {
  const object = fc.record({ a: fc.jsonValue(), b: fc.jsonValue() })
  fc.assert(
    fc.property(
      fc.array(object, { minLength: 1 }),
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom(0, 2),
      (all, next, at, indent) => {
        const text = JSON.stringify(all, null, indent)
        const records = jsonRecords(text, ['a', 'b'])
        expect(records.count).toBe(all.length)
        expect(records.apply(nothing)).toBe(text)
        const row = at % all.length
        const changed = records.apply({
          ...nothing,
          changed: value(row, JSON.stringify(next)),
          deleted: new Set([row + 1]),
        })
        const wanted = all.map((one, index) => (index === row ? { a: one.a, b: next } : one))
        expect(JSON.parse(changed)).toEqual(JSON.parse(JSON.stringify(wanted.filter((__, index) => index !== row + 1))))
      },
    ),
  )
})

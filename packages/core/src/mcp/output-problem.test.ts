import { expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { outputProblem } from './mcp-tool.ts'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5, pattern: '^(a+)+$' },
    age: { type: ['integer', 'null'], minimum: 0, exclusiveMaximum: 150 },
    friends: { type: 'array', items: { $ref: '#' }, maxItems: 2 },
    kind: { enum: ['one', { two: 2 }] },
    pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    way: { oneOf: [{ const: 1 }, { type: 'string' }] },
    both: { allOf: [{ required: ['a'] }, { $ref: '#/$defs/b~1c' }] },
  },
  required: ['name'],
  additionalProperties: false,
  $defs: { 'b/c': { required: ['b'] } },
}

test.each<[unknown, string | undefined]>([
  [{ name: 'Ada', age: 36, friends: [{ name: 'Bob' }], kind: { two: 2 }, pair: ['a', 1], way: 'x' }, undefined],
  [{ name: 'aaaaa', age: null, both: { a: 1, b: 2 } }, undefined],
  [[], 'it is array, not object'],
  [{}, 'it is missing "name"'],
  [{ name: 7 }, '.name is number, not string'],
  [{ name: '' }, '.name is too short'],
  [{ name: 'too long' }, '.name is too long'],
  [{ name: 'x', age: 1.5 }, '.age is number, not integer or null'],
  [{ name: 'x', age: 150 }, '.age is out of range'],
  [{ name: 'x', friends: [{ name: 'y' }, { name: 'z', friends: [{}] }] }, '.friends[1].friends[0] is missing "name"'],
  [{ name: 'x', friends: [{ name: 'y' }, { name: 'y' }, { name: 'y' }] }, '.friends has too many items'],
  [{ name: 'x', kind: 'two' }, '.kind is not one of the allowed values'],
  [{ name: 'x', pair: ['a', 1, 2] }, '.pair[2] is not allowed'],
  [{ name: 'x', way: 2 }, '.way matches none of the allowed schemas'],
  [{ name: 'x', both: { a: 1 } }, '.both is missing "b"'],
  [{ name: 'x', more: 1 }, '.more is not allowed'],
  [{ name: 'x', ['__proto__']: 1 }, '.__proto__ is not allowed'],
])('%j', (value, problem) => {
  expect(outputProblem(person, value)).toBe(problem)
})

test('circular or empty schemas cost little and reject nothing', () => {
  const circle = { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a', anyOf: [{ $ref: '#' }, { $ref: '#/a' }] } }
  const spentMs = cpuClock()
  expect(outputProblem(circle, {})).toBeUndefined()
  const wide = { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#' })) }
  expect(outputProblem(wide, {})).toBeUndefined()
  expect(spentMs()).toBeLessThan(2000)
  for (const odd of [null, true, 7, 'x', [], { type: 7 }, { properties: [] }, { $ref: 'https://x.example' }])
    expect(outputProblem(odd, { a: 1 })).toBeUndefined()
})

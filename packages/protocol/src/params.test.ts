import { expect, test } from 'vitest'
import { modelParams, type Param, paramProblem } from './params.ts'

const good: Param[] = [
  { name: 'temperature', type: 'number', min: 0, max: 2, step: 0.1 },
  { name: 'seed', type: 'integer', min: 0, max: 10 },
  { name: 'reasoning', type: 'choice', options: ['low', 'high'], label: 'Effort' },
  { name: 'cache', type: 'switch', option: { provider: 'acme', key: 'cache' } },
  { name: 'stop', type: 'texts', max: 2 },
]

test('valid settings are read, even next to invalid ones', () => {
  const strange = [
    null,
    'temperature',
    { name: 'x' },
    { ...good[0], min: 3 },
    { ...good[2], options: [] },
    { ...good[3], option: 1 },
  ]
  expect(modelParams({ capabilities: { params: [...strange, ...good] } })).toEqual(good)
  expect(modelParams({ capabilities: { params: { temperature: 1 } } })).toEqual([])
  expect(modelParams(undefined)).toEqual([])
})

test.each([
  [0, 0.5, undefined],
  [0, 2.1, 'must be between 0 and 2'],
  [0, '1', 'must be a number'],
  [0, Number.NaN, 'must be a number'],
  [1, 1.5, 'must be a whole number'],
  [2, 'high', undefined],
  [2, 'most', 'must be one of low, high'],
  [3, 'yes', 'must be true or false'],
  [4, ['a', 'b'], undefined],
  [4, ['a', 'b', 'c'], 'accepts at most 2 items'],
  [4, [''], 'must be a list of strings'],
])('setting %i with %j: %s', (index, value, problem) => {
  expect(paramProblem(good[index] as Param, value)).toBe(problem)
})

import { expect, test } from 'vitest'
import { nextPicked } from './next-picked.ts'

test('picking takes one more, one less, or all from the last to this one', () => {
  const order = ['a', 'b', 'c', 'd', 'e']
  expect(nextPicked([], 'b', [])).toEqual(['b'])
  expect(nextPicked(['b'], 'b', [])).toEqual([])
  expect(nextPicked(['b'], 'd', order)).toEqual(['b', 'c', 'd'])
  expect(nextPicked(['d'], 'b', order)).toEqual(['d', 'c', 'b'])
  expect(nextPicked([], 'c', order)).toEqual(['c'])
})

import { expect, test } from 'vitest'
import { extendSelection } from './session-row.tsx'

test('selection adds one, removes one, or adds a range', () => {
  const order = ['a', 'b', 'c', 'd', 'e']
  expect(extendSelection([], 'b', [])).toEqual(['b'])
  expect(extendSelection(['b'], 'b', [])).toEqual([])
  expect(extendSelection(['b'], 'd', order)).toEqual(['b', 'c', 'd'])
  expect(extendSelection(['d'], 'b', order)).toEqual(['d', 'c', 'b'])
  expect(extendSelection([], 'c', order)).toEqual(['c'])
})

import { expect, test } from 'vitest'
import { createStreamTap } from './run-stream.ts'

test('the last chunks are kept in their order, with their numbers', () => {
  const tap = createStreamTap(3)
  for (const number of [1, 2, undefined, 4, 5]) tap.record({ type: 'start-step' }, number, 7)
  expect(tap.read().map(({ number }) => number)).toEqual([undefined, 4, 5])
  expect(tap.count()).toBe(5)
  expect(createStreamTap(3).read()).toEqual([])
})

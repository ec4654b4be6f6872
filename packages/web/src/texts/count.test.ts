import { expect, test } from 'vitest'
import { count } from './count.ts'

test('one is one, more are many', () => {
  expect([count(1, 'line'), count(2345, 'line'), count(0, 'entry', 'entries')]).toEqual([
    '1 line',
    '2,345 lines',
    '0 entries',
  ])
})

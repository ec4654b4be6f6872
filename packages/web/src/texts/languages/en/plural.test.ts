import { expect, test } from 'vitest'
import { pluralize } from './plural.ts'

test('one is singular, more are plural', () => {
  expect([pluralize(1, 'line'), pluralize(2345, 'line'), pluralize(0, 'entry', 'entries')]).toEqual([
    '1 line',
    '2,345 lines',
    '0 entries',
  ])
})

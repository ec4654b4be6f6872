import { expect, test } from 'vitest'
import { readModelIds } from './provider-row.tsx'

test('ids are read from lines, commas and blanks, each once', () => {
  expect(readModelIds(' large-1,\nsmall-1  vendor/tiny:8b\nlarge-1 ')).toEqual(['large-1', 'small-1', 'vendor/tiny:8b'])
  expect(readModelIds(' \n')).toEqual([])
})

import { expect, test } from 'vitest'
import { formatCount, formatNumber } from './format.ts'

test('a number is shown with a comma before every three digits from its end', () => {
  for (const value of [0, 7, 999, 1000, 12_345, 123_456, 1_234_567, -999, -1000, -123_456])
    expect(formatNumber(value)).toBe(value.toLocaleString('en-US'))
})

test('one is counted in the singular', () => {
  expect(formatCount(1, 'file')).toBe('1 file')
  expect(formatCount(2000, 'file')).toBe('2,000 files')
  expect(formatCount(0, 'file or folder', 'files or folders')).toBe('0 files or folders')
})

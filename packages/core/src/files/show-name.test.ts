import { expect, test } from 'vitest'
import { showCount, showNumber } from './show-name.ts'

test('a number is shown with a comma before every three digits from its end', () => {
  for (const value of [0, 7, 999, 1000, 12_345, 123_456, 1_234_567, -999, -1000, -123_456])
    expect(showNumber(value)).toBe(value.toLocaleString('en-US'))
})

test('one is counted in the singular', () => {
  expect(showCount(1, 'file')).toBe('1 file')
  expect(showCount(2000, 'file')).toBe('2,000 files')
  expect(showCount(0, 'file or folder', 'files or folders')).toBe('0 files or folders')
})

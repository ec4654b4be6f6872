import { expect, test } from 'vitest'
import { plainText, screenText } from './task-display.ts'

test('colors, titles, links and cursor moves are removed, the text stays', () => {
  expect(
    plainText(
      '\x1b[1;31mred\x1b[0m \x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b[2K\x1b(Bend\x9b5m!',
    ),
  ).toBe('red a link end!')
  expect(plainText('tab\tline\r\nbell\x07 nul\0 del\x7f')).toBe('tab\tline\r\nbell nul\ufffd del')
})

test('a screen shows the last text written to a line', () => {
  expect(screenText('10%\r50%\r100%\r\nnext\r\n')).toBe('100%\nnext\n')
  expect(screenText('long line\rshort')).toBe('shortline')
  expect(screenText('typo\b\b\b\bfine\n')).toBe('fine\n')
  expect(screenText('abc\b \b')).toBe('ab')
  expect(screenText('\x1b[?2004h$ ls\r\r\nfile\r\n')).toBe('$ ls\nfile\n')
})

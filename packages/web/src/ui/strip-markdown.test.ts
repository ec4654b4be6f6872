import { expect, test } from 'vitest'
import { stripMarkdown } from './strip-markdown.ts'

test('only the words are left', () => {
  const text = '## Title\n\nSome **bold**, *soft* and `code`, see [here](https://x.y/z).\n\n- one\n- [x] two\n> said'
  expect(stripMarkdown(text)).toBe('Title\nSome bold, soft and code, see here.\none\ntwo\nsaid')
})

test('code and tables lose their frames and keep their text', () => {
  expect(stripMarkdown('```js\nlet a = 2 * 3\n```\n| a | b |\n|---|---|\n| 1 | 2 |')).toBe('let a = 2 * 3\na b\n1 2')
})

test('the markers of a search match are kept', () => {
  expect(stripMarkdown('the **\uE000zebra\uE001** crosses')).toBe('the \uE000zebra\uE001 crosses')
})

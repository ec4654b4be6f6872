import { expect, test } from 'vitest'
import { speakableText, speechPieces, spokenLanguage } from './speakable.ts'

const words = { code: 'Code block.', formula: 'Formula.' }

test('Markdown becomes prose: no code, tags, marks or addresses', () => {
  const markdown = [
    '# Result',
    'It **works**, see [the docs](https://example.com/a/b?c=1) or https://example.com/very/long/path.',
    '```ts',
    'const a = 1 // **not read**',
    '```',
    '- one',
    '- `two`',
    '| a | b |',
    '|---|---|',
    '| 1 | 2 |',
    '<b>bold</b> <!-- hidden -->',
  ].join('\n')
  const text = speakableText(markdown, words)
  expect(text).toContain('Result')
  expect(text).toContain('It works, see the docs or example.com')
  expect(text).toContain('Code block.')
  expect(text).not.toMatch(/const a|\*\*|https|\/very|<b>|hidden|\|/)
})

test('formulas are named, and footnotes are read without their numbers', () => {
  const markdown = 'It holds[^1].\n\n$$\nx^2\n$$\n\n\\[ a_1 \\]\n\nIt costs $5 to $9.\n\n[^1]: See above.'
  expect(speakableText(markdown, words)).toBe('It holds.\nFormula.\nFormula.\nIt costs $5 to $9.\nSee above.')
})

test('an unfinished code block is not read either', () => {
  expect(speakableText('Before\n```py\nprint(1)\nprint(2)', words)).toBe('Before\nCode block.')
})

test('pieces are whole sentences, the first one short, and nothing is lost', () => {
  const text = Array.from({ length: 40 }, (_, i) => `This is sentence number ${i}.`).join(' ')
  const pieces = speechPieces(text, { first: 60, most: 200 })
  expect(pieces[0]!.length).toBeLessThanOrEqual(60)
  expect(pieces.every((piece) => piece.length <= 200 && piece.endsWith('.'))).toBe(true)
  expect(pieces.join(' ')).toBe(text)
})

test('a sentence without an end is cut between words, in any script', () => {
  for (const text of ['word '.repeat(500).trim(), '没有标点的句子'.repeat(200), '🎉'.repeat(900)]) {
    const pieces = speechPieces(text, { first: 100, most: 300 })
    expect(pieces.every((piece) => piece.length <= 300)).toBe(true)
    expect(pieces.join('').replaceAll(/\s/g, '').length).toBe(text.replaceAll(/\s/g, '').length)
  }
})

test.each([
  ['Hello there', 'de-DE', 'de-DE'],
  ['Hello there', 'zh-CN', 'en'],
  ['你好', 'en-US', 'zh'],
  ['你好', 'zh-TW', 'zh-TW'],
  ['こんにちは世界', 'en-US', 'ja'],
  ['Привет', 'uk', 'uk'],
  ['Привет', 'en', 'ru'],
  ['مرحبا', 'fa', 'fa'],
])('%s is read in the right language for a user of %s: %s', (text, preferred, language) => {
  expect(spokenLanguage(text, preferred)).toBe(language)
})

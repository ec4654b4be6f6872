import { expect, test } from 'vitest'
import { triggerWordAt } from './suggestions.ts'

test.each([
  ['/', { text: '/', first: true }],
  ['/he', { text: '/he', first: true }],
  ['use /skill/pd', { text: '/skill/pd', first: false }],
  ['see @src/a', { text: '@src/a', first: false }],
  ['(@src', { text: '@src', first: false }],
  ['@"a b', { text: '@"a b', first: true }],
  ['hello', undefined],
  ['me@example.org', undefined],
  ['a/b', undefined],
  ['/help ', undefined],
  ['//', { text: '//', first: true }],
])('at the end of %j it is %j', (text, word) => {
  const found = triggerWordAt(text, text.length)
  expect(found === undefined ? undefined : { text: found.text, first: found.first }).toEqual(word)
})

test('there is none in the middle of a word; elsewhere it is the one before the caret', () => {
  expect(triggerWordAt('@src/a.ts', 3)).toBeUndefined()
  expect(triggerWordAt('@sr and more', 3)).toEqual({ text: '@sr', from: 0, to: 3, first: true })
})

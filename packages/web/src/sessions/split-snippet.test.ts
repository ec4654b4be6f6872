import { expect, test } from 'vitest'
import { splitSnippet } from './search-results.tsx'

test('matches are separated from the text around them', () => {
  expect(splitSnippet('the \uE000sea\uE001 is \uE000calm\uE001')).toEqual([
    { text: 'the ', match: false },
    { text: 'sea', match: true },
    { text: ' is ', match: false },
    { text: 'calm', match: true },
  ])
})

test('a snippet that was cut inside a match is shown whole', () => {
  expect(splitSnippet('a \uE000b')).toEqual([
    { text: 'a ', match: false },
    { text: 'b', match: true },
  ])
})

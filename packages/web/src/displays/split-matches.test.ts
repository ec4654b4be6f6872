import { expect, test } from 'vitest'
import { splitMatches } from './matches.tsx'

test('every second piece is a match', () => {
  expect(splitMatches('a TODO and a TODO', 'TODO')).toEqual(['a ', 'TODO', ' and a ', 'TODO', ''])
  expect(splitMatches('f(x) = f(x)', 'f\\(x\\)')).toEqual(['', 'f(x)', ' = ', 'f(x)', ''])
  expect(splitMatches('nothing here', 'TODO')).toEqual(['nothing here'])
})

test('a regular expression marks nothing', () => {
  for (const pattern of ['a.c', 'a|b', '(a+)+$', '', '\\d', 'x*']) expect(splitMatches('abc', pattern)).toEqual(['abc'])
})

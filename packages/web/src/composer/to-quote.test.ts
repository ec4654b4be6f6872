import { expect, test } from 'vitest'
import { toQuote } from './quote-button.tsx'

test('every line of a quotation is marked, and there is room to answer', () => {
  expect(toQuote('  one\n\ntwo  \r\nthree\n')).toBe('> one\n>\n> two\n> three\n\n')
})

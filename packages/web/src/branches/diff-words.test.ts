import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffWords } from './diff-words.ts'

const formatted = (before: string, after: string) =>
  diffWords(before, after)
    .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `[+${text}+]` })[kind])
    .join('')

test('only the words that differ are marked', () => {
  expect(formatted('The quick fox jumps.', 'The slow fox jumps high.')).toBe(
    'The [-quick-][+slow+] fox jumps[+ high+].',
  )
  expect(formatted('same', 'same')).toBe('same')
  expect(formatted('', 'new')).toBe('[+new+]')
  expect(formatted('old', '')).toBe('[-old-]')
  expect(formatted('a b c d', 'b c d e')).toBe('[-a -]b c d[+ e+]')
})

test('both texts can be rebuilt from the pieces, for any texts', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ' ', 'ß', '漢', '\n', '.', '😀'), { maxLength: 40 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffWords(before, after)
      const of = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join('')
      expect(of('added')).toBe(before)
      expect(of('removed')).toBe(after)
    }),
  )
})

test('long texts that have little in common take no time', () => {
  const words = (seed: number) => Array.from({ length: 20_000 }, (_, index) => `w${(index * seed) % 9973}`).join(' ')
  const pieces = diffWords(words(31), words(57))
  expect(pieces.length).toBeLessThan(10)
})

import { expect, test } from 'vitest'
import { visibleText as shown, visiblePieces } from './visible-text.ts'

test('invisible characters are always visible in an approval', () => {
  expect(shown('rm a\u202Eb\u200B\u0007\u{E0041}\nok\ttab')).toBe('rm a⟨U+202E⟩b⟨U+200B⟩⟨U+0007⟩⟨U+E0041⟩\nok\ttab')
  expect(shown('a\u2066b\u2069\u3164\u2028c\uFE01\u{E0100}')).toBe(
    'a⟨U+2066⟩b⟨U+2069⟩⟨U+3164⟩⟨U+2028⟩c⟨U+FE01⟩⟨U+E0100⟩',
  )
})

test('in exact mode, other blanks are distinguished from a space', () => {
  expect(shown('rm\u00A0-rf\u3000/', 'exact')).toBe('rm⟨U+00A0⟩-rf⟨U+3000⟩/')
  expect(shown('a\nb c\t', 'name')).toBe('a⟨U+000A⟩b c⟨U+0009⟩')
  expect(shown('une phrase\u202F!')).toBe('une phrase\u202F!')
})

test('ordinary text of any language is unchanged', () => {
  const text = 'Grüße, שלום, مرحبا, 日本語, ❤️ 👍🏽\n\tend'
  expect(visiblePieces(text, 'exact')).toEqual([text])
  expect(visiblePieces('')).toEqual([])
})

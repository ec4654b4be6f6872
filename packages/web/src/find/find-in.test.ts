import { expect, test } from 'vitest'
import { findOccurrences } from './find-matches.ts'

const found = (text: string, wanted: string) => findOccurrences(text, wanted).map(([from, to]) => text.slice(from, to))

test('case, accents and line ends make no difference', () => {
  expect(found('A Café, a CAFE, a cafe\u0301.', 'café')).toEqual(['Café', 'CAFE', 'cafe\u0301'])
  expect(found('over\nthe line', 'OVER THE')).toEqual(['over\nthe'])
  expect(found('ﬁne 😀 fine', 'fine')).toEqual(['ﬁne', 'fine'])
  expect(found('100% (sure)', '0% (')).toEqual(['0% ('])
  expect(found('anything', '  ')).toEqual([])
})

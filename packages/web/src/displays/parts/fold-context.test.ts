import { expect, test } from 'vitest'
import { foldContext } from './diff-rows.ts'
import { parseDiff } from './parse-diff.ts'

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ` ${from + index}\n`).join('')

const shown = (diff: string) =>
  foldContext(parseDiff(diff).rows).map((item) =>
    item.type === 'fold' ? `fold ${item.lines.length}` : 'text' in item ? item.text : item.type,
  )

test('unchanged lines away from a change are folded, except three on each side', () => {
  const diff = `@@ -1,40 +1,40 @@\n${lines(1, 20)}-a\n+b\n${lines(22, 40)}-c\n+d\n${lines(42, 44)}`
  expect(shown(diff)).toEqual([
    'fold 17',
    '18',
    '19',
    '20',
    'a',
    'b',
    '22',
    '23',
    '24',
    'fold 13',
    '38',
    '39',
    '40',
    'c',
    'd',
    '42',
    '43',
    '44',
  ])
})

test('a short section is not folded, and a diff without changes is shown unchanged', () => {
  expect(shown(`@@ -1,9 +1,9 @@\n-a\n+b\n${lines(2, 9)}-c\n`)).not.toContainEqual(expect.stringContaining('fold'))
  expect(shown(`@@ -1,30 +1,30 @@\n${lines(1, 30)}`)).toHaveLength(30)
})

import { expect, test } from 'vitest'
import { fillGaps, foldContext, pairLines, unfold, unfoldStep } from './diff-rows.ts'
import { type DiffRow, parseDiff } from './parse-diff.ts'

const file = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
const changed = file.toSpliced(9, 1, 'ten', 'more').toSpliced(21, 1)
const diff = `@@ -8,5 +8,6 @@
 line 8
 line 9
-line 10
+ten
+more
 line 11
 line 12
@@ -20,3 +21,2 @@
 line 20
-line 21
 line 22
`
const shown = (rows: readonly DiffRow[] | undefined) =>
  rows?.map((row) =>
    'text' in row && row.type !== 'note' ? `${row.before ?? '.'} ${row.after ?? '.'} ${row.text}` : row.type,
  )

test('gaps and the end of the file are filled from either side, with the numbers of both', () => {
  const { rows } = parseDiff(diff)
  const before = fillGaps(rows, file, 'before', { hasEnd: true })
  expect(shown(before)).toEqual(shown(fillGaps(rows, changed, 'after', { hasEnd: true })))
  expect(before?.filter(({ type }) => type !== 'added')).toHaveLength(file.length)
  expect(shown(before)?.slice(0, 2)).toEqual(['1 1 line 1', '2 2 line 2'])
  expect(shown(before)?.at(-1)).toBe('30 30 line 30')
  expect(shown(fillGaps(rows, file, 'before', { hasEnd: false }))?.at(-1)).toBe('22 22 line 22')
})

test('a file that changed since is not mixed into the diff', () => {
  const { rows } = parseDiff(diff)
  expect(fillGaps(rows, file, 'after', { hasEnd: true })).toBeUndefined()
  expect(fillGaps(rows, file.slice(0, 12), 'before', { hasEnd: true })).toBeUndefined()
  const crlf = file.map((line) => `${line}\r`)
  expect(fillGaps(rows, crlf, 'before', { hasEnd: true })).toHaveLength(32)
})

test('a long fold opens step by step, and a line in it tells which one', () => {
  const lines = Array.from({ length: 500 }, (_, index) => ` ${index + 2}\n`).join('')
  const folded = foldContext(parseDiff(`@@ -1,501 +1,501 @@\n-a\n+b\n${lines}-c\n`).rows)
  const counts = (opened: [number, number][]) =>
    unfold(folded, opened).flatMap((item) => (item.type === 'fold' ? [item.lines.length] : []))
  expect(counts([])).toEqual([494])
  expect(counts([[5, unfoldStep]])).toEqual([394])
  expect(
    counts([
      [5, unfoldStep],
      [105, unfoldStep],
    ]),
  ).toEqual([294])
  expect(counts([[1, 500]])).toEqual([494])
  expect(counts([[5, 500]])).toEqual([])
})

test('side by side, an added line is next to the line it replaces, with its note below', () => {
  const { rows } = parseDiff('@@ -1,3 +1,4 @@\n a\n-b\n-c\n\\ No newline at end of file\n+B\n+C\n+D\n')
  expect(pairLines(rows).map((row) => (row.type === 'pair' ? [row.left?.text, row.right?.text] : row.type))).toEqual([
    ['a', 'a'],
    ['b', 'B'],
    ['c', 'C'],
    [undefined, 'D'],
    'note',
  ])
})

test('an added line after others that were replaced stays on its side', () => {
  const { rows } = parseDiff('@@ -1,2 +1,2 @@\n+x\n a\n-b\n')
  expect(pairLines(rows).map((row) => (row.type === 'pair' ? [row.left?.text, row.right?.text] : row.type))).toEqual([
    [undefined, 'x'],
    ['a', 'a'],
    ['b', undefined],
  ])
})

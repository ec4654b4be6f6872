import { expect, test } from 'vitest'
import { type DiffRow, parseDiff } from './parse-diff.ts'

function shown(row: DiffRow): string {
  if (row.type === 'gap') return `~${row.count} ${row.heading}`.trim()
  if (row.type === 'file') return `file ${row.path}`
  if (row.type === 'note') return `(${row.text})`
  if (row.type === 'hunk') return `hunk ${row.id}`
  const sign = { context: ' ', added: '+', removed: '-' }[row.type]
  const text = row.changed
    ? `${row.text.slice(0, row.changed[0])}[${row.text.slice(...row.changed)}]${row.text.slice(row.changed[1])}`
    : row.text
  return `${row.before ?? '.'} ${row.after ?? '.'} ${sign}${text}`
}

const rowsOf = (diff: string) => parseDiff(diff).rows.map(shown)

test('hunks have the line numbers of both sides, and lines between them are counted', () => {
  const diff = '@@ -3,3 +3,4 @@ function go\n a\n-b\n+B1\n+B2\n c\n@@ -20,2 +21,1 @@\n x\n-y\n'
  expect(rowsOf(diff)).toEqual([
    '~2 function go',
    '3 3  a',
    '4 . -b',
    '. 4 +B1',
    '. 5 +B2',
    '5 6  c',
    '~14',
    '20 21  x',
    '21 . -y',
  ])
  expect(parseDiff(diff)).toMatchObject({ added: 2, removed: 2 })
})

test('inside a hunk, lines that look like a file header are lines', () => {
  const diff = '--- a/notes\n+++ b/notes\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n'
  expect(rowsOf(diff)).toEqual(['1 . --- old', '. 1 +++ new', '2 2  same'])
  expect(parseDiff(diff)).toMatchObject({ added: 1, removed: 1 })
})

test('a new file begins at line 1, and an empty side at the line after it', () => {
  expect(rowsOf('@@ -0,0 +1,2 @@\n+one\n+two\n')).toEqual(['. 1 +one', '. 2 +two'])
  expect(rowsOf('@@ -5,0 +6 @@\n+six\n')).toEqual(['~5', '. 6 +six'])
})

test('several files are separated', () => {
  const diff =
    'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -9 +9 @@\n-8\n+9\n'
  expect(rowsOf(diff)).toEqual(['file b/x', '1 . -1', '. 1 +2', 'file b/y', '~8', '9 . -8', '. 9 +9'])
})

test('the changed part of a line is marked, unless lines have little in common', () => {
  expect(rowsOf('@@ -1 +1 @@\n-const a = 1\n+const a = 23\n')).toEqual(['1 . -const a = [1]', '. 1 +const a = [23]'])
  expect(rowsOf('@@ -1 +1 @@\n-one\n+entirely different\n')).toEqual(['1 . -one', '. 1 +entirely different'])
  expect(rowsOf('@@ -1 +1 @@\n-say 👍 now\n+say 👎 now\n')).toEqual(['1 . -say [👍] now', '. 1 +say [👎] now'])
  const long = 'x'.repeat(5000)
  expect(parseDiff(`@@ -1 +1 @@\n-${long}\n+${long}y\n`).rows[0]).not.toHaveProperty('changed')
})

test('a missing line end is a note, and an empty context line may have lost its blank', () => {
  expect(rowsOf('@@ -1,2 +1,2 @@\n\n-a\n\\ No newline at end of file\n+b\n')).toEqual([
    '1 1  ',
    '2 . -a',
    '(No newline at end of file)',
    '. 2 +b',
  ])
})

test('returns at the end of every line are not shown, and those of some lines are', () => {
  expect(rowsOf('@@ -1 +1 @@\n-a\r\n+b\r\n')).toEqual(['1 . -a', '. 1 +b'])
  expect(rowsOf('@@ -1,2 +1,2 @@\n same\r\n-a\r\n+a\n')).toEqual(['1 1  same\r', '2 . -a[\r]', '. 2 +a[]'])
})

test('other text than a diff is shown unchanged', () => {
  expect(rowsOf('what is\nthis')).toEqual(['. .  what is', '. .  this'])
  expect(rowsOf('')).toEqual([])
})

test('hunks without numbers are separated, and no line is lost', () => {
  expect(rowsOf('@@\n a\n-b\n@@ class Foo\n--- c\n+++ d\n@@\n+e\n')).toEqual([
    '. .  a',
    '. . -b',
    '~0 class Foo',
    '. . --- c',
    '. . +++ d',
    '~0',
    '. . +e',
  ])
})

test('without hunks, nothing is a file header, and equal lines are context', () => {
  expect(rowsOf('--- a comment\n-b\n+-- a comment\n+B\n')).toEqual(['. .  -- a comment', '. . -b', '. . +B'])
  expect(rowsOf('-a\n-b\n-c\n+a\n+c\n')).toEqual(['. .  a', '. . -b', '. .  c'])
  expect(rowsOf('-x\n-x\n+x\n')).toEqual(['. .  x', '. . -x'])
  expect(rowsOf('@@ -4,2 +4,2 @@\n-a\n-b\n+a\n+c\n')).toEqual(['~3', '4 4  a', '5 . -b', '. 5 +c'])
})

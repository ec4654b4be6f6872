import { expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { findLinks, pathInFolder } from './find-links.ts'
import { readPaste } from './paste.ts'
import { toCodeBlock } from './send-to-chat.ts'

test.each([
  ['see https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
  ['(http://localhost:3000/)', ['http://localhost:3000/']],
  ['https://en.wikipedia.org/wiki/A_(b), and more', ['https://en.wikipedia.org/wiki/A_(b)']],
  ['javascript:alert(1) file:///etc/passwd ftp://x.y/z', []],
  ['src/app.ts:12:5 - error', ['src/app.ts:12:5']],
  ['  at run (/work/app/src/a.mjs:3:9)', ['/work/app/src/a.mjs:3:9']],
  ['app.ts(4,2): error TS1', ['app.ts(4,2)']],
  ['File "tests/a_b.py", line 7, in x', ['tests/a_b.py", line 7']],
  ['12:30:45 node 24.1.0 a:b 1.2.3.4:80', []],
  ['https://example.com/src/app.ts:12', ['https://example.com/src/app.ts:12']],
])('%s', (line, texts) => {
  expect(findLinks(line).map(({ text }) => text)).toEqual(texts)
})

test('a file link has the path and the line, from where the shell is', () => {
  expect(findLinks('../b/a.ts:7')[0]?.open).toEqual({ path: '../b/a.ts', line: 7 })
  expect(findLinks('File "x.py", line 7')[0]?.open).toEqual({ path: 'x.py', line: 7 })
  expect(pathInFolder('../b/a.ts', 'packages/web')).toBe('packages/b/a.ts')
  expect(pathInFolder('./a.ts', '')).toBe('a.ts')
  expect(pathInFolder('../a.ts', '')).toBeUndefined()
  expect(pathInFolder('a.ts', null)).toBeUndefined()
  expect(pathInFolder('/work/a.ts', null)).toBe('/work/a.ts')
})

test('a line of any length is searched in time', () => {
  const spentMs = cpuClock()
  for (const part of ['a/', 'a.', 'http://', '((', 'a/b.c:', '../']) findLinks(part.repeat(100_000))
  expect(spentMs()).toBeLessThan(1000)
})

test.each([
  ['ls -l', false, { lines: 1, removed: 0, needsConsent: false }],
  ['ls\nrm x', false, { lines: 2, removed: 0, needsConsent: true }],
  ['ls\nrm x', true, { lines: 2, removed: 0, needsConsent: false }],
  ['ls\n', false, { lines: 2, removed: 0, needsConsent: true }],
  ['ls\x1b[201~\nrm x\n', true, { text: 'ls[201~\nrm x\n', removed: 1, needsConsent: true }],
  ['echo \u202egnp.exe', true, { text: 'echo gnp.exe', removed: 1, needsConsent: true }],
  ['a\x03b\x7f', true, { text: 'ab', removed: 2, needsConsent: true }],
  ['👩‍👩‍👧 نمی‌خواهم', true, { removed: 0, needsConsent: false }],
])('pasting %j, bracketed %s', (text, isBracketed, expected) => {
  expect(readPaste(text, { isBracketed })).toMatchObject(expected)
})

test('a selection becomes a code block that its text cannot end', () => {
  expect(toCodeBlock('\na  \n b\n\n')).toBe('```text\na\n b\n```')
  expect(toCodeBlock('x\n````\ny')).toBe('`````text\nx\n````\ny\n`````')
})

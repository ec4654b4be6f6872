import { expect, test } from 'vitest'
import { kindOfFence, kindOfFile } from './preview-kind.ts'

test.each([
  ['a/page.HTML', 'html'],
  ['notes.md', 'markdown'],
  ['/home/x/.troupe/sessions/s-1/jsx/m1-2.jsx', 'jsx'],
  ['src/app.jsx', undefined],
  ['html', undefined],
  ['a.constructor', undefined],
])('%s is shown as %s', (path, kind) => {
  expect(kindOfFile(path)).toBe(kind)
})

test.each([
  ['Mermaid', '', 'mermaid'],
  ['xml', '<?xml version="1.0"?>\n<svg viewBox="0 0 1 1"/>', 'svg'],
  ['xml', '<note/>', undefined],
  ['ts', '', undefined],
  ['', '', undefined],
  ['__proto__', '', undefined],
])('a fence of %s is shown as %#', (language, text, kind) => {
  expect(kindOfFence(language, text)).toBe(kind)
})

import { Buffer } from 'node:buffer'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { OfficeAction, OfficeEdit } from '@troupe/core'
import { afterAll, expect, test } from 'vitest'
import { joinPieces, readZipDirectory, readZipRecord } from '../zip/splice-zip.ts'
import { editOffice } from './edit-office.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-docx-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const date = '2026-01-02T03:04:05Z'
let count = 0

/** Writes a file made by these actions, and returns its path. */
function create(...actions: OfficeAction[]): string {
  const { pieces } = editOffice({ format: 'docx', actions, date })
  const file = path.join(folder, `${count++}.docx`)
  writeFileSync(file, joinPieces(Buffer.alloc(0), pieces))
  return file
}

function edit(file: string, ...actions: OfficeAction[]): OfficeEdit {
  return editOffice({ format: 'docx', file: { path: file }, actions, date })
}

function partOf(file: string, { pieces }: OfficeEdit, name = 'word/document.xml'): string {
  const zip = joinPieces(readFileSync(file), pieces)
  return readZipRecord(
    zip,
    readZipDirectory(zip).records.find((record) => record.name === name)!,
  ).toString()
}

const insert = (markdown: string): OfficeAction => ({ action: 'insert', markdown })

test('Markdown becomes headings, lists, tables, links and footnotes', () => {
  const file = create(
    insert(
      '# Report\n\nSome **bold** and [link](https://example.org).[^1]\n\n- one\n  1. inner\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[^1]: The note.',
    ),
    { action: 'set_footer', markdown: 'Page {PAGE}' },
    { action: 'add_contents' },
  )
  const { before } = edit(
    file,
    { action: 'insert', markdown: 'x', where: 'start' },
    { action: 'delete', at: 'Report', to: 'link' },
  )
  expect(before).toContain('# Report\nSome bold and link.[^1]\n- one\n- inner\n| a | b |')
})

test('a replaced text that spans runs keeps their formatting', () => {
  const file = create(insert('The **quick** brown fox'))
  const edited = edit(file, { action: 'replace_text', find: 'quick brown', replace: 'slow' })
  expect(partOf(file, edited)).toContain(
    '<w:t xml:space="preserve">The </w:t></w:r><w:r><w:rPr><w:b/><w:bCs/></w:rPr><w:t xml:space="preserve">slow</w:t></w:r><w:r><w:t xml:space="preserve"> fox</w:t>',
  )
  expect(edited.parts).toEqual(['word/document.xml'])
  expect(edited).toMatchObject({ before: 'The quick brown fox\n', after: 'The slow fox\n' })
})

test('tracked changes name their author, and can be accepted or rejected', () => {
  const file = create(insert('The quick fox\n\nSecond'))
  const tracked = edit(
    file,
    { action: 'replace_text', find: 'quick', replace: 'slow', tracked: true },
    { action: 'insert', markdown: 'Third', at: 'Second', tracked: true },
    { action: 'delete', at: 'Second', tracked: true },
  )
  expect(tracked.after).toBe('The [-quick-]{+slow+} fox\n[-Second-]\n{+Third+}\n')
  const saved = path.join(folder, 'tracked.docx')
  writeFileSync(saved, joinPieces(readFileSync(file), tracked.pieces))
  expect(edit(saved, { action: 'review_changes', decision: 'accept' }).after).toBe('The slow fox\nThird\n')
  expect(edit(saved, { action: 'review_changes', decision: 'reject' }).after).toBe('The quick fox\nSecond\n')
})

test('a comment marks its text', () => {
  const file = create(insert('One two three'))
  const edited = edit(file, { action: 'add_comment', find: 'two', text: 'Check this.' })
  expect(edited.after).toBe('One two(comment) three\nComment by Troupe: Check this.\n')
  expect(partOf(file, edited, 'word/comments.xml')).toContain('w:author="Troupe"')
})

test('table cells and rows are changed', () => {
  const file = create(insert('| a | b |\n|---|---|\n| 1 | 2 |'))
  const { after } = edit(
    file,
    { action: 'set_table_cells', table: 1, cells: [{ row: 2, column: 2, text: 'two' }] },
    { action: 'insert_table_rows', table: 'two', row: 3, rows: [['3', '4']] },
    { action: 'delete_table_rows', table: 1, row: 1 },
  )
  expect(after).toContain('| 1 | two |\n| 3 | 4 |')
  expect(after).not.toContain('| a | b |')
})

test('paragraphs are moved and styled', () => {
  const file = create(insert('One\n\nTwo\n\nThree'))
  const { after } = edit(
    file,
    { action: 'move', at: 'Three', before: 'One' },
    { action: 'style', at: 'Two', style: 'Heading 2', bold: true },
  )
  expect(after).toBe('Three\nOne\n## Two (bold)\n')
})

test('a wrong anchor is an error with near matches, and an ambiguous one says how often it occurs', () => {
  const file = create(insert('Results of 2025\n\nResults of 2026'))
  expect(() => edit(file, { action: 'delete', at: 'Result for 2026' })).toThrow('Similar: "Results of 2026"')
  expect(() => edit(file, { action: 'replace_text', find: 'Results', replace: 'x' })).toThrow('occurs 2 times')
  expect(() => edit(file, { action: 'add_sheet', name: 'x' })).toThrow('not an action for documents')
})

test('results of fields are not written into', () => {
  const file = create({ action: 'set_footer', markdown: 'Page {PAGE} end' }, insert('Text'))
  expect(() => edit(file, { action: 'replace_text', find: '1', replace: '2' })).toThrow('only in fields')
})

test('an encrypted, an empty and a truncated file are refused with a reason', () => {
  const bad = (name: string, bytes: Uint8Array): string => {
    const file = path.join(folder, name)
    writeFileSync(file, bytes)
    return file
  }
  const action = insert('x')
  expect(() => edit(bad('a.docx', Buffer.from('d0cf11e0a1b11ae1', 'hex')), action)).toThrow('encrypted')
  expect(() => edit(bad('b.docx', Buffer.alloc(0)), action)).toThrow('empty')
  expect(() => edit(bad('c.docx', Buffer.from('PK\u0003\u0004 and no end')), action)).toThrow('damaged')
})

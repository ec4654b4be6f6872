import { Buffer } from 'node:buffer'
import { chmodSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../testing/test-workspace.ts'
import { editNotebook } from '../text/notebook.ts'
import notebookEdit from './notebook-edit.ts'
import read from './read.ts'

let ws: TestWorkspace
beforeEach(() => {
  ws = openTestWorkspace()
})
afterEach(() => ws.close())

/**
 * Jupyter's format: one space per level and a trailing newline, with numbers that JavaScript would write differently.
 */
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Caf\\u00e9\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "calc",
   "metadata": {
    "ratio": 1.0,
    "big": 12345678901234567890
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1]}\\"\\n"
     ]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {
  "version": 2.0
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

async function edited(input: object, content: string | Uint8Array = jupyter): Promise<{ text: string; file: string }> {
  ws.put('n.ipynb', content)
  await ws.call(read, { file_path: 'n.ipynb' })
  const { text } = await ws.call(notebookEdit, { notebook_path: 'n.ipynb', ...input })
  return { text, file: ws.text('n.ipynb') }
}

test('a cell is replaced by id or number, its outputs are cleared, and no other byte changes', async () => {
  const expected = jupyter
    .replace('"print(1)"', '"print(2)\\n",\n    "print(3)"')
    .replace('"execution_count": 3', '"execution_count": null')
    .replace(/"outputs": \[[^]*?\n {3}\],/, '"outputs": [],')
  for (const which of [{ cell_id: 'calc' }, { cell_number: 1 }, { cell_id: 'cell-1' }, { cell_id: '1' }]) {
    const { text, file } = await edited({ ...which, new_source: 'print(2)\nprint(3)' })
    expect(file).toBe(expected)
    expect(text).toBe('Replaced cell 1 (id calc) of n.ipynb. Its outputs were cleared.')
  }
})

test('a markdown cell keeps being one', async () => {
  const { text, file } = await edited({ cell_id: 'intro', new_source: 'é “x”\n' })
  expect(file).toBe(jupyter.replace('"# Caf\\u00e9\\n",\n    "text"', '"é “x”\\n"'))
  expect(text).toBe('Replaced cell 0 (id intro) of n.ipynb.')
})

test('a cell of another type loses or gets the fields of its type', async () => {
  const toCode = JSON.parse((await edited({ cell_number: 0, new_source: 'x', cell_type: 'code' })).file)
  expect(toCode.cells[0]).toEqual({
    cell_type: 'code',
    id: 'intro',
    metadata: {},
    outputs: [],
    execution_count: null,
    source: ['x'],
  })
  const toText = JSON.parse((await edited({ cell_number: 1, new_source: 'x', cell_type: 'markdown' })).file)
  expect(toText.cells[1]).toMatchObject({ cell_type: 'markdown', id: 'calc', source: ['x'] })
  expect(Object.keys(toText.cells[1])).not.toContain('outputs')
})

test('a cell is inserted behind an id, at a number, or in front', async () => {
  const sources = (file: string): string[] =>
    JSON.parse(file).cells.map((cell: { source: string[] }) => cell.source.join(''))
  const [intro, calc] = ['# Café\ntext', 'print(1)']
  const insert = { edit_mode: 'insert', new_source: 'new', cell_type: 'markdown' }
  expect(sources((await edited({ ...insert, cell_id: 'intro' })).file)).toEqual([intro, 'new', calc])
  expect(sources((await edited({ ...insert, cell_id: 'calc' })).file)).toEqual([intro, calc, 'new'])
  expect(sources((await edited({ ...insert, cell_number: 1 })).file)).toEqual([intro, 'new', calc])
  expect(sources((await edited({ ...insert, cell_number: 2 })).file)).toEqual([intro, calc, 'new'])
  expect(sources((await edited(insert)).file)).toEqual(['new', intro, calc])
  const { file, text } = await edited({ edit_mode: 'insert', new_source: 'x', cell_number: 2 })
  const id = JSON.parse(file).cells[2].id as string
  expect(id).toMatch(/^[0-9a-f]{8}$/)
  expect(text).toBe(`Inserted cell 2 (id ${id}) of n.ipynb.`)
  const added = `,\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "${id}",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "x"\n   ]\n  }\n ],\n "metadata"`
  expect(file).toBe(jupyter.replace('\n ],\n "metadata"', added))
})

test('a cell is deleted, the first, the last and the only one', async () => {
  const first = jupyter.slice(
    jupyter.indexOf('{\n   "cell_type": "markdown"'),
    jupyter.indexOf('{\n   "cell_type": "code"'),
  )
  expect((await edited({ edit_mode: 'delete', cell_number: 0 })).file).toBe(jupyter.replace(first, ''))
  const { file, text } = await edited({ edit_mode: 'delete', cell_id: 'calc' })
  expect(text).toBe('Deleted cell 1 (id calc) of n.ipynb.')
  expect(file).toBe(jupyter.replace(/,\n {2}\{\n {3}"cell_type": "code"[^]*?\n {2}\}(?=\n \],)/, ''))
  const none = await edited({ edit_mode: 'delete', cell_number: 0 }, file)
  expect(JSON.parse(none.file).cells).toEqual([])
  const again = await edited({ edit_mode: 'insert', new_source: 'x' }, none.file)
  expect(JSON.parse(again.file).cells).toHaveLength(1)
  expect(again.file).toMatch(/"cells": \[\n {2}\{\n {3}"cell_type": "code",/)
})

test.each([
  ['on one line', JSON.stringify(JSON.parse(jupyter)), '"source":["y"]'],
  [
    'on one line with blanks',
    '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": "x"}], "nbformat": 4}',
    '"source": "y"',
  ],
  [
    'with tabs and CRLF',
    jupyter.replace(/^ +/gm, (blanks) => '\t'.repeat(blanks.length)).replaceAll('\n', '\r\n'),
    '"source": [\r\n\t\t\t\t"y"\r\n\t\t\t]',
  ],
])('the way it is written is kept: %s', async (_, content, expected) => {
  const { file } = await edited({ cell_number: 0, new_source: 'y' }, content)
  expect(file).toContain(expected)
  expect(file.split('\n').length).toBeLessThanOrEqual(content.split('\n').length)
  const inserted = await edited({ edit_mode: 'insert', new_source: 'z' }, content)
  expect(inserted.file.split('\r\n').length > 1).toBe(content.includes('\r\n'))
  expect(inserted.file.replace(/\{[^{}]*\{\}[^{}]*\},\s*/, '')).toBe(content)
})

test('a byte order mark is kept', async () => {
  await edited({ cell_number: 0, new_source: 'y' }, Buffer.from(`\ufeff${jupyter}`))
  expect([...ws.bytes('n.ipynb').subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
})

test('for any notebook and any cell, the result equals JSON', () => {
  const source = fc.oneof(fc.string(), fc.array(fc.string()))
  const cell = fc.record({
    cell_type: fc.constant('code'),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
    outputs: fc.array(fc.jsonValue()),
    source,
  })
  fc.assert(
    fc.property(
      fc.array(cell, { minLength: 1, maxLength: 4 }),
      fc.nat(3),
      fc.string(),
      fc.constantFrom('', 1, '\t'),
      (cells, at, text, indent) => {
        const cellNumber = Math.min(at, cells.length - 1)
        const content = JSON.stringify({ before: '"cells": [', cells, after: [[]] }, null, indent)
        const parse = (mode: 'replace' | 'insert' | 'delete') =>
          JSON.parse(editNotebook(content, { mode, cellNumber, source: text }, 'n').text)
        const joined = (value: string | string[]): string => (Array.isArray(value) ? value.join('') : value)
        const replaced = parse('replace')
        expect(joined(replaced.cells[cellNumber].source)).toBe(text)
        expect(replaced.cells[cellNumber].outputs).toEqual([])
        const others = (list: unknown[]): unknown[] => list.toSpliced(cellNumber, 1)
        const given = JSON.parse(content)
        expect(others(replaced.cells)).toEqual(others(given.cells))
        expect(parse('delete')).toEqual({ ...given, cells: others(given.cells) })
        expect(others(parse('insert').cells)).toEqual(given.cells)
      },
    ),
    { numRuns: 200 },
  )
})

test('an invalid edit is rejected, and nothing changes', async () => {
  await expect(edited({ cell_id: 'nope', new_source: 'x' })).rejects.toThrow(
    'no cell with the id "nope". Its ids are intro, calc.',
  )
  await expect(edited({ cell_number: 2, new_source: 'x' })).rejects.toThrow(
    'has 2 cells, numbered from 0; there is no position 2',
  )
  await expect(edited({ cell_number: 3, edit_mode: 'insert' })).rejects.toThrow('no position 3')
  await expect(edited({ new_source: 'x' })).rejects.toThrow('as cell_id or cell_number')
  expect(ws.text('n.ipynb')).toBe(jupyter)
  await expect(edited({ cell_number: 0 }, '{"nbformat": 3}')).rejects.toThrow('has no list of cells')
  ws.put('a.txt', '')
  await expect(ws.call(notebookEdit, { notebook_path: 'a.txt', cell_number: 0 })).rejects.toThrow('is not a notebook')
  await expect(ws.call(notebookEdit, { notebook_path: 'm.ipynb', cell_number: 0 })).rejects.toThrow(
    'm.ipynb does not exist',
  )
})

test('it must have been read, and be unchanged since; read-only files are rejected', async () => {
  ws.put('n.ipynb', jupyter)
  const input = { notebook_path: 'n.ipynb', cell_number: 0, new_source: 'x' }
  await expect(ws.call(notebookEdit, input)).rejects.toThrow('not read it yet')
  await ws.call(read, { file_path: 'n.ipynb' })
  writeFileSync(ws.at('n.ipynb'), jupyter.replace('print(1)', 'print(9)'))
  await expect(ws.call(notebookEdit, input)).rejects.toThrow('has changed since you read it')
  await ws.call(read, { file_path: 'n.ipynb' })
  chmodSync(ws.at('n.ipynb'), 0o444)
  await expect(ws.call(notebookEdit, input)).rejects.toThrow('is read-only')
  expect(ws.text('n.ipynb')).toContain('print(9)')
})

test('the card shows how the source changed', async () => {
  ws.put('n.ipynb', jupyter)
  await ws.call(read, { file_path: 'n.ipynb' })
  const { output } = await ws.call(notebookEdit, { notebook_path: 'n.ipynb', cell_id: 'calc', new_source: 'print(2)' })
  expect(notebookEdit.display?.(output, {} as never)).toEqual({
    title: 'Edit n.ipynb',
    summary: 'replace cell 1: +1 -1',
    content: {
      kind: 'diff',
      path: 'n.ipynb',
      change: 'changed',
      diff: '@@ -1 +1 @@\n-print(1)\n+print(2)\n',
      added: 1,
      removed: 1,
    },
  })
})

import { Buffer } from 'node:buffer'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { OfficeAction, OfficeEdit } from '@troupe/core'
import { afterAll, expect, test } from 'vitest'
import { joinPieces, readZipDirectory, readZipRecord, spliceZip } from '../zip/splice-zip.ts'
import { editOffice } from './edit-office.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-xlsx-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const save = (bytes: Buffer): string => {
  const file = path.join(folder, `${count++}.xlsx`)
  writeFileSync(file, bytes)
  return file
}
const create = (...actions: OfficeAction[]): string =>
  save(joinPieces(Buffer.alloc(0), editOffice({ format: 'xlsx', actions, date: '' }).pieces))
const edit = (file: string, ...actions: OfficeAction[]): OfficeEdit =>
  editOffice({ format: 'xlsx', file: { path: file }, actions, date: '' })
const next = (file: string, ...actions: OfficeAction[]): string =>
  save(joinPieces(readFileSync(file), edit(file, ...actions).pieces))
const part = (file: string, name: string): string => {
  const zip = readFileSync(file)
  return readZipRecord(
    zip,
    readZipDirectory(zip).records.find((record) => record.name === name)!,
  ).toString()
}
const set = (cell: string, values: (string | number | boolean | null)[][], sheet?: string): OfficeAction => ({
  action: 'set_cells',
  cell,
  values,
  ...(sheet === undefined ? {} : { sheet }),
})

const table = create(
  set('A1', [
    ['Item', 'Price'],
    ['Tea', 3],
    ['Cake', 4.5],
    ['Sum', '=SUM(B2:B3)'],
  ]),
)

test('cells keep their types, and the diff names them', () => {
  const xml = part(table, 'xl/worksheets/sheet1.xml')
  expect(xml).toContain('<c r="B2"><v>3</v></c>')
  expect(xml).toContain('<c r="B4"><f>SUM(B2:B3)</f></c>')
  const { before, after, parts } = edit(table, set('B2', [[5]]))
  expect({ before, after }).toEqual({ before: 'Sheet1!B2: 3\n', after: 'Sheet1!B2: 5\n' })
  expect(parts).toEqual(expect.arrayContaining(['xl/worksheets/sheet1.xml']))
})

test('stored results that depend on a changed cell are dropped, others stay', () => {
  const source = part(table, 'xl/worksheets/sheet1.xml')
  const file = next(table, set('D1', [['=1+1']]))
  const cached = part(file, 'xl/worksheets/sheet1.xml')
    .replace('<f>SUM(B2:B3)</f>', '<f>SUM(B2:B3)</f><v>7.5</v>')
    .replace('<f>1+1</f>', '<f>1+1</f><v>2</v>')
  expect(source).not.toBe(cached)
  const zip = readFileSync(file)
  const { records } = readZipDirectory(zip)
  expect(records.length).toBeGreaterThan(0)
  const stored = save(replaced(zip, 'xl/worksheets/sheet1.xml', cached))
  const xml = part(next(stored, set('B3', [[1]])), 'xl/worksheets/sheet1.xml')
  expect(xml).toContain('<f>SUM(B2:B3)</f></c>')
  expect(xml).toContain('<f>1+1</f><v>2</v>')
  expect(part(next(stored, set('B3', [[1]])), 'xl/workbook.xml')).toContain('fullCalcOnLoad="1"')
})

test('inserted and deleted rows and columns move formulas, names, merged cells and formats', () => {
  const file = next(
    table,
    { action: 'add_sheet', name: 'My data' },
    set('A1', [['=Sheet1!B4', '=SUM(Sheet1!$B$2:B3)']], 'My data'),
    { action: 'define_name', name: 'Prices', refers_to: 'Sheet1!$B$2:$B$3' },
    { action: 'merge_cells', range: 'A6:B6', sheet: 'Sheet1' },
    { action: 'insert_rows', sheet: 'Sheet1', row: 3, count: 2 },
    { action: 'insert_columns', sheet: 'Sheet1', column: 'A' },
  )
  const sheet = part(file, 'xl/worksheets/sheet1.xml')
  expect(sheet).toContain('<c r="C6"><f>SUM(C2:C5)</f></c>')
  expect(sheet).toContain('<mergeCell ref="B8:C8"/>')
  expect(part(file, 'xl/worksheets/sheet2.xml')).toContain('<f>Sheet1!C6</f>')
  expect(part(file, 'xl/worksheets/sheet2.xml')).toContain('<f>SUM(Sheet1!$C$2:C5)</f>')
  expect(part(file, 'xl/workbook.xml')).toContain('>Sheet1!$C$2:$C$5<')
  const deleted = next(file, { action: 'delete_rows', sheet: 'Sheet1', row: 6 })
  expect(part(deleted, 'xl/worksheets/sheet2.xml')).toContain('<f>Sheet1!#REF!</f>')
})

test('sheets are renamed with the formulas that use them, copied and removed', () => {
  const file = next(
    table,
    { action: 'add_sheet', name: 'Other' },
    set('A1', [['=Sheet1!B2']], 'Other'),
    { action: 'rename_sheet', sheet: 'Sheet1', name: 'New name' },
    { action: 'copy_sheet', sheet: 'New name', name: 'Copy' },
  )
  expect(part(file, 'xl/worksheets/sheet2.xml')).toContain("<f>'New name'!B2</f>")
  expect(part(file, 'xl/workbook.xml')).toContain('name="Copy"')
  const removed = next(file, { action: 'remove_sheet', sheet: 'New name' })
  expect(part(removed, 'xl/worksheets/sheet2.xml')).toContain('#REF!')
  expect(() => edit(file, { action: 'remove_sheet', sheet: 'New nam' })).toThrow('Similar: "New name"')
})

test('cells are formatted, panes frozen, columns sized, rules and charts added', () => {
  const file = next(
    table,
    { action: 'format_cells', range: 'A1:B1', bold: true, fill: '#ffee00', number_format: '#,##0.00 "€"' },
    { action: 'freeze', cell: 'A2' },
    { action: 'column_width', columns: 'A:B', width: 20 },
    { action: 'conditional_format', range: 'B2:B3', rule: 'greater', values: [4], fill: 'ff0000' },
    {
      action: 'add_chart',
      type: 'column',
      title: 'Prices',
      categories: 'A2:A3',
      series: [{ name: 'Price', values: 'B2:B3' }],
    },
  )
  const sheet = part(file, 'xl/worksheets/sheet1.xml')
  expect(sheet.indexOf('<sheetViews>')).toBeLessThan(sheet.indexOf('<cols>'))
  expect(sheet.indexOf('<conditionalFormatting')).toBeGreaterThan(sheet.indexOf('</sheetData>'))
  expect(part(file, 'xl/charts/chart1.xml')).toContain('Sheet1!$B$2:$B$3')
  expect(part(file, 'xl/styles.xml')).toContain('FFFFEE00')
})

test('formulas that call out are named, and text that looks like one stays text', () => {
  const { notes } = edit(table, set('A9', [['=WEBSERVICE("http://example.org")', "=cmd|'/C calc'!A0", "'=1+1"]]))
  expect(notes.join()).toContain('2 formulas call another program or the network (Sheet1!A9, Sheet1!B9)')
  expect(part(next(table, set('A9', [["'=1+1"]])), 'xl/worksheets/sheet1.xml')).toContain('>=1+1</t>')
})

test('wrong cells, ranges and sheets are errors', () => {
  expect(() => edit(table, set('1A', [[1]]))).toThrow('"1A" is not a cell')
  expect(() => edit(table, set('A1', [[1]], 'Sheet'))).toThrow('There is no sheet "Sheet". Similar: "Sheet1"')
  expect(() => edit(table, { action: 'add_sheet', name: 'a/b' })).toThrow('cannot name a sheet')
})

function replaced(zip: Buffer, name: string, text: string): Buffer {
  const directory = readZipDirectory(zip)
  return joinPieces(zip, spliceZip(zip, directory, new Map([[name, Buffer.from(text)]])))
}

test('a damaged part that other programs refuse is not edited', () => {
  const name = 'xl/worksheets/sheet1.xml'
  const damaged = part(table, name).replace('?>', '?>foo')
  const zip = readFileSync(table)
  const pieces = spliceZip(zip, readZipDirectory(zip), new Map([[name, Buffer.from(damaged)]]))
  const file = save(joinPieces(zip, pieces))
  expect(() => edit(file, set('A1', [['x']]))).toThrow('sheet1.xml is damaged')
})

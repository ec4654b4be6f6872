import { expect, test } from 'vitest'
import { cell, workbook, zip } from '../../e2e/testing/make-workbook.ts'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'

test('a workbook is read sheet by sheet, its cells as text', async () => {
  const cells = `<row r="1">${cell('A1', 'name')}${cell('B1', 'n')}</row><row r="2">${cell('A2', '&lt;img src=x onerror=hit()&gt;')}<c r="B2"><v>4.5</v></c></row>`
  const [sheet] = await readXlsx(zip(workbook(cells)))
  expect(sheet).toEqual({
    name: 'Sums',
    rows: [
      ['name', 'n'],
      ['<img src=x onerror=hit()>', '4.5'],
    ],
    cutRows: false,
    cutColumns: false,
  })
})

test.each([
  [
    'no archive',
    new TextEncoder().encode('PK nothing of the kind, but long enough to be one').buffer,
    'not an XLSX file',
  ],
  ['an empty file', new ArrayBuffer(0), 'not an XLSX file'],
  ['one cell far out', zip(workbook(cell('XFD1048576', 'x'))), '1048576 rows and 16384 columns'],
  ['a bomb', zip(workbook(''), 4_000_000_000), 'too large when unpacked'],
  ['a bomb that lies', zip({ 'xl/worksheets/a.xml': ' '.repeat(61_000_000) }, 10), 'too large when unpacked'],
])('%s is rejected before anything is unpacked', async (_, bytes, message) => {
  await expect(readXlsx(bytes as ArrayBuffer)).rejects.toThrow(message)
})

test('CSV is read with its own separator and quotes, within limits', () => {
  expect(readCsv('\ufeffa;b\n"1;2";"x ""y"""\n\n', 't.csv').rows).toEqual([
    ['a', 'b'],
    ['1;2', 'x "y"'],
  ])
  const long = readCsv(`a,b\n${'1,2\n'.repeat(12_000)}`, 'long.csv')
  expect([long.rows.length, long.cutRows]).toEqual([10_000, true])
  const wide = readCsv(`${'x,'.repeat(300)}\n${'y,'.repeat(300)}`, 'wide.csv')
  expect([wide.rows[0]?.length, wide.cutColumns]).toEqual([200, true])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { utils, write } from '@e965/xlsx'
import { afterAll, describe, expect, test } from 'vitest'
import type { DocumentPart, DocumentText } from '@troupe/core'
import { openDocuments } from '../open-documents.ts'
import { makeZip } from '../testing/make-zip.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'sheets-'))
const documents = openDocuments()
afterAll(() => {
  documents.close()
  rmSync(folder, { recursive: true, force: true })
})

function read(name: string, bytes: string | Uint8Array, part: DocumentPart = {}): Promise<DocumentText> {
  const file = path.join(folder, name)
  writeFileSync(file, bytes)
  return documents.read({ path: file }, part)
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function relations(...targets: readonly (readonly [type: string, target: string, mode?: string])[]): string {
  const items = targets.map(
    ([type, target, mode], index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>`,
  )
  return `<Relationships>${items.join('')}</Relationships>`
}

/** A workbook of one sheet with these rows. `more` follows them. */
function xlsx(rows: string, { more = '', head = '', ...parts }: Record<string, string | Buffer> = {}): Buffer {
  return makeZip({
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Budget" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="#,##0.00 [$€-407]"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="170"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet>${String(head)}<sheetData>${rows}</sheetData>${String(more)}</worksheet>`,
    ...parts,
  })
}

describe('xlsx', () => {
  test('values appear as displayed, with formulas', async () => {
    const { text, facts } = await read(
      'a.xlsx',
      xlsx(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a|b</t></is></c><c r="B1" s="1"><v>45292</v></c><c r="C1" s="2"><v>0.125</v></c><c r="D1" s="3"><v>1234.5</v></c></row>' +
          '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3"><f t="shared" ref="B3:B4" si="0">SUM($A1:A2)&amp;"A1"</f><v>3</v></c></row>' +
          '<row r="4" hidden="1"><c r="B4" t="e"><f t="shared" si="0"/><v>#N/A</v></c></row>',
      ),
    )
    expect(facts).toBe('1 sheet')
    expect(text).toBe(
      [
        'Sheets:',
        '- Budget: A1:D4',
        '',
        '## Budget!A1:D4',
        '',
        '|  | A | B | C | D |',
        '|---|---|---|---|---|',
        '| 1 | a\\|b | 2024-01-01 | 12.50% | 1,234.50 € |',
        '| 3 | TRUE | =SUM($A1:A2)&"A1" -> 3 |  |  |',
        '| 4 (hidden) |  | =SUM($A2:A3)&"A1" -> #N/A |  |  |',
      ].join('\n'),
    )
  })

  test('names what surrounds the cells, and follows no link', async () => {
    const { text, notes, facts } = await read(
      'b.xlsm',
      xlsx('<row r="1"><c r="A1"><f>WEBSERVICE("http://x.test")</f><v>1</v></c><c r="C1"><v>2</v></c></row>', {
        head: '<cols><col min="3" max="3" hidden="1"/></cols>',
        more: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells><dataValidations><dataValidation type="list" sqref="A1:A9"><formula1>"Yes,No"</formula1></dataValidation></dataValidations><hyperlinks><hyperlink ref="C1" r:id="rId2"/></hyperlinks>',
        'xl/worksheets/_rels/sheet1.xml.rels': relations(
          ['comments', '../comments1.xml'],
          ['hyperlink', 'https://example.com/', 'External'],
          ['table', '../tables/table1.xml'],
          ['pivotTable', '../pivotTables/p.xml'],
        ),
        'xl/comments1.xml':
          '<comments><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Check </t></r><r><t>this</t></r></text></comment></commentList></comments>',
        'xl/tables/table1.xml':
          '<table displayName="Sales" ref="A1:B9"><tableColumns><tableColumn name="Item"/><tableColumn name="Sum"/></tableColumns></table>',
        'xl/pivotTables/p.xml': '<pivotTableDefinition name="By month"><location ref="F1:G9"/></pivotTableDefinition>',
        'xl/vbaProject.bin': 'macro',
        'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Budget" r:id="rId1"/><sheet name="Secret" state="veryHidden" r:id="rId9"/></sheets><definedNames><definedName name="Total">Budget!$C$1</definedName></definedNames></workbook>`,
        'xl/_rels/workbook.xml.rels': relations(
          ['worksheet', 'worksheets/sheet1.xml'],
          ['externalLink', 'externalLinks/e1.xml'],
        ),
        'xl/externalLinks/e1.xml': '<externalLink><ddeLink/></externalLink>',
        'xl/externalLinks/_rels/e1.xml.rels': relations(['externalLinkPath', 'file:///other.xlsx', 'External']),
      }),
    )
    expect(facts).toBe('2 sheets, 1 hidden')
    for (const line of [
      '- Secret: missing in the file (hidden)',
      '- Total: Budget!$C$1',
      '|  | A | C (hidden) |',
      'Merged cells: A1:B1.',
      '- A1 (Ann): Check this',
      '- C1: https://example.com/',
      '- A1:A9: one of "Yes,No"',
      '- Sales (A1:B9): Item, Sum',
      '- By month (F1:G9)',
    ])
      expect(text).toContain(line)
    expect(notes).toEqual([
      'The workbook has macros (xl/vbaproject.bin). They were not run.',
      'Formulas refer to other files, which were not opened: [1] file:///other.xlsx.',
      'The workbook has DDE links to other programs. They were not followed.',
      'Formulas that load data or start programs were not evaluated: Budget!A1. Their values are the stored ones.',
    ])
  })

  test('a range, a defined name and an offset select cells', async () => {
    const rows = Array.from(
      { length: 50 },
      (_, i) => `<row r="${i + 1}"><c r="A${i + 1}"><v>${i}</v></c><c r="B${i + 1}"><v>1</v></c></row>`,
    )
    const book = xlsx(rows.join(''), {
      'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Budget" r:id="rId1"/></sheets><definedNames><definedName name="Last">Budget!$B$50</definedName></definedNames></workbook>`,
    })
    expect((await read('c.xlsx', book, { range: 'Budget!A4:A5' })).text).toBe(
      '## Budget!A4:A5\n\n|  | A |\n|---|---|\n| 4 | 3 |\n| 5 | 4 |',
    )
    expect((await read('c.xlsx', book, { range: 'last' })).text).toContain('## Budget!B50')
    expect((await read('c.xlsx', book, { offset: 49, limit: 1 })).text).toContain('## Budget!A49:B49')
    await expect(read('c.xlsx', book, { sheet: 'Nope' })).rejects.toThrow(
      'There is no sheet "Nope". The sheets are "Budget".',
    )
    await expect(read('c.xlsx', book, { range: 'what?' })).rejects.toThrow('"what?" is no range of cells.')
  })

  test('a full answer says where to continue, and nothing is lost between', async () => {
    const rows = Array.from({ length: 9000 }, (_, i) => `<row r="${i + 1}"><c r="A${i + 1}"><v>${i + 1}</v></c></row>`)
    const book = xlsx(rows.join(''), { head: '<dimension ref="A1:XFD1048576"/>' })
    const seen: number[] = []
    let part: DocumentPart | undefined = {}
    for (let count = 0; part !== undefined && count < 9; count++) {
      const { text, next }: DocumentText = await read('d.xlsx', book, part)
      expect(text.length).toBeLessThan(52_000)
      for (const [, row] of text.matchAll(/^\| (\d+) \|/gm)) seen.push(Number(row))
      part = next
    }
    expect(seen).toEqual(Array.from({ length: 9000 }, (_, i) => i + 1))
  })

  test('prefixed and single-quoted XML, dates from 1904 and cells without an address are read', async () => {
    const { text } = await read(
      'e.xlsx',
      xlsx('', {
        'xl/workbook.xml': `<x:workbook xmlns:r="${office}"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="S" r:id="rId1"/></x:sheets></x:workbook>`,
        'xl/worksheets/sheet1.xml':
          "<x:worksheet><x:sheetData><x:row r='7'><x:c r='B7' s='1'><x:v>0</x:v></x:c><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>",
      }),
    )
    expect(text).toContain('|  | B | C |\n|---|---|---|\n| 7 | 1904-01-01 | 5 |')
  })

  test('parts in UTF-16 are read', async () => {
    const list = `<?xml version="1.0" encoding="UTF-16"?><workbook xmlns:r="${office}"><sheets><sheet name="預算" r:id="rId1"/></sheets></workbook>`
    const parts = { 'xl/workbook.xml': Buffer.from(list, 'utf16le').swap16() }
    expect((await read('wide.xlsx', xlsx('<row><c><v>7</v></c></row>', parts))).text).toContain('## 預算!A1')
  })

  test('a damaged sheet and a damaged list of sheets are named', async () => {
    await expect(read('f.xlsx', xlsx('', { 'xl/workbook.xml': '<nothing/>' }))).rejects.toThrow(
      'The workbook is damaged: its list of sheets cannot be read.',
    )
  })

  test('cells come as data with the extent of the sheet', async () => {
    const book = xlsx('<row r="2"><c r="C2"><f>1+1</f><v>2</v></c></row>')
    expect((await read('g.xlsx', book, { cells: true })).cells).toEqual({
      sheets: [{ name: 'Budget', isHidden: false }],
      sheet: 'Budget',
      rows: 2,
      columns: 3,
      read: [{ number: 2, isHidden: false, cells: [{ column: 3, text: '2', formula: '=1+1', isNumber: true }] }],
      nextRow: undefined,
      merged: [],
    })
  })
})

test('an old Excel file is read', async () => {
  const book = utils.book_new()
  const sheet = utils.aoa_to_sheet([
    ['Item', 'Sum'],
    ['Rent', 900.5],
    ['Food', 300],
  ])
  sheet['!merges'] = [{ s: { r: 0, c: 0 }, e: { r: 0, c: 1 } }]
  utils.book_append_sheet(book, sheet, 'Costs')
  const bytes = write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer
  const { format, text } = await read('old.xls', bytes)
  expect(format).toBe('xls')
  expect(text).toContain('| 2 | Rent | 900.5 |')
  expect(text).toContain('Merged cells: A1:B1.')
})

test('an OpenDocument spreadsheet is read, flat or zipped', async () => {
  const type = 'application/vnd.oasis.opendocument.spreadsheet'
  const content =
    `<office:document office:mimetype="${type}"><office:automatic-styles><style:style style:name="h"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>` +
    '<table:table table:name="One"><table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>' +
    '<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>' +
    '<table:table-row><table:table-cell office:value-type="float" office:value="0.5" table:number-columns-repeated="2"><text:p>50 %</text:p></table:table-cell><table:table-cell table:formula="of:=SUM([.A3:.B3];[$Two.A1])" office:value-type="float" office:value="1" table:number-columns-spanned="2"><office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p></office:annotation><text:p>1</text:p></table:table-cell></table:table-row>' +
    '<table:table-row table:number-rows-repeated="1048573"><table:table-cell/></table:table-row></table:table>' +
    '<table:table table:name="Two" table:style-name="h"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>' +
    '</office:spreadsheet></office:body></office:document>'
  for (const [name, bytes] of [
    ['a.fods', content],
    ['a.ods', makeZip({ mimetype: type, 'content.xml': content })],
  ] as const) {
    const { format, text, facts } = await read(name, bytes)
    expect(format).toBe('ods')
    expect(facts).toBe('2 sheets, 1 hidden')
    expect(text).toContain('- One: A3:C3\n- Two: A1 (hidden)')
    expect(text).toContain(
      '|  | A | B | C (hidden) |\n|---|---|---|---|\n| 3 | 50 % | 50 % | =SUM(A3:B3;Two!A1) -> 1 |',
    )
    expect(text).toContain('Merged cells: C3:D3.')
    expect(text).toContain('- C3 (Ann): why?')
  }
})

describe('csv', () => {
  test('delimiter, quotes and line breaks in cells are recognized', async () => {
    const { text, facts } = await read('a.csv', 'name;city\r\n"A ""b""";"New\nYork"\r\nC;=cmd|\'/c calc\'!A0\r\n')
    expect(facts).toBe('values separated by ";", the first row has names of columns')
    expect(text).toContain('| 2 | A "b" | New<br>York |')
    expect(text).toContain('would run these cells as formulas that reach outside: B3.')
  })

  test('Chinese text in GBK and text in UTF-16 are decoded', async () => {
    const gbk = Buffer.from('d0d5c3fb2cb3c7cad00ad5c5c8fd2cb1b1bea90a', 'hex')
    expect((await read('gbk.csv', gbk)).text).toContain('| 2 | 张三 | 北京 |')
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\tb\n1\t2\n', 'utf16le')])
    expect((await read('wide.tsv', wide)).text).toContain('| 2 | 1 | 2 |')
  })

  test('rows far into a long file are found', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i + 1},"a,${i + 1}"`)
    const { text } = await read('long.csv', lines.join('\n'), { range: 'A59999:B60000' })
    expect(text).toContain('| 59999 | 59999 | a,59999 |\n| 60000 | 60000 | a,60000 |')
    expect((await read('long.csv', lines.join('\n'), { cells: true })).cells).toMatchObject({
      rows: 60_000,
      columns: 2,
    })
  })

  test('a quote that is never closed swallows no more than one record', async () => {
    const { text } = await read('open.csv', 'a,b\n"open,1\nx,2\n')
    expect(text).toContain('| 3 | x | 2 |')
    // Short rows without quotes: looking for a quote takes one pass over the text, not one for each row.
    const many = await read('many.csv', `a,b\n"open,${'1,2\n'.repeat(2_000_000)}`)
    expect(many.text).toContain('| 3 | 1 | 2 |')
  })
})

test('a Parquet file has its columns and rows', async () => {
  const { text, facts } = await read('a.parquet', Buffer.from(parquet, 'base64'))
  expect(facts).toMatch(/^3 rows, 3 columns/)
  expect(text).toContain('- day: date')
  expect(text).toContain('| 1 | id | name | day |')
  expect(text).toContain('| 3 | 1 | n1 | 2024-02-29 |')
  await expect(read('b.parquet', 'PAR1 broken')).rejects.toThrow('The Parquet file could not be read')
})

/** Three rows, written by DuckDB. */
const parquet =
  'UEFSMRUAFSQVKCwVBhUAFQYVBgAAEkQCAAAABgEAAAAAAQAAAAIAAAAVABUwFTIsFQYVABUGFQYAABgUAgAAAAYBAQY0bjACAAAAbjECAAAA' +
  'bjIVABUkFSgsFQYVABUGFQYAABJEAgAAAAYBRU0AAEZNAABHTQAAFQIZTDUAGA1kdWNrZGJfc2NoZW1hFQYAFQIlAhgCaWQlIgAVDCUCGARu' +
  'YW1lJQAAFQIlAhgDZGF5JQwAFgYZHBk8JgAcFQIZFQAZGAJpZBUCFgYWRhZKJgg8GAQCAAAAGAQAAAAAFgAoBAIAAAAYBAAAAAAREQAAACYA' +
  'HBUMGRUAGRgEbmFtZRUCFgYWUhZUJlI8GAJuMhgCbjAWACgCbjIYAm4wEREAAAAmABwVAhkVABkYA2RheRUCFgYWRhZKJqYBPBgER00AABgE' +
  'RU0AABYAKARHTQAAGARFTQAAEREAAAAW3gEWBiYIFugBACgoRHVja0RCIHZlcnNpb24gdjEuNS42IChidWlsZCAwNjljYzlmOWI1KRk8HAAA' +
  'HAAAHAAAACQBAABQQVIx'

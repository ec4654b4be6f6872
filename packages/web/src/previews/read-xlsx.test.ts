import { crc32, deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'

/** A ZIP archive of these texts; `size` lies about how long the first is. */
function zip(files: Record<string, string>, size?: number): ArrayBuffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    const packed = deflateRawSync(bytes)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(crc32(bytes), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(entries.length === 0 && size !== undefined ? size : bytes.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), head, rest, Buffer.from(name)]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  const all = Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length) as ArrayBuffer
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function workbook(cells: string): Record<string, string> {
  return {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Sums" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${cells}</sheetData></worksheet>`,
  }
}

const text = (place: string, said: string) => `<c r="${place}" t="inlineStr"><is><t>${said}</t></is></c>`

test('a workbook is read sheet by sheet, its cells as text', async () => {
  const cells = `<row r="1">${text('A1', 'name')}${text('B1', 'n')}</row><row r="2">${text('A2', '&lt;img src=x onerror=hit()&gt;')}<c r="B2"><v>4.5</v></c></row>`
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
  ['one cell far out', zip(workbook(text('XFD1048576', 'x'))), 'reaches over 1048576 rows and 16384 columns'],
  ['a bomb', zip(workbook(''), 4_000_000_000), 'far larger inside'],
  ['a bomb that lies', zip({ 'xl/worksheets/a.xml': ' '.repeat(61_000_000) }, 10), 'far larger inside'],
])('%s is refused before anything is made of it', async (_, bytes, message) => {
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

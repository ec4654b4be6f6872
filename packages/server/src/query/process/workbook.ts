import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { crc32, createDeflateRaw } from 'node:zlib'
import type { Cell, Column } from './messages.ts'

/** Rows of a sheet, with the header. */
const mostRows = 1_048_576

/** Writes an Excel workbook with one sheet, row by row. Texts are stored as texts, so none becomes a formula. */
export async function writeWorkbook(
  file: string,
  columns: readonly Column[],
  batches: AsyncIterable<Cell[][]>,
): Promise<void> {
  const out = createWriteStream(file)
  const entries: Entry[] = []
  let offset = 0
  const write = async (bytes: Buffer): Promise<void> => {
    offset += bytes.length
    if (!out.write(bytes)) await once(out, 'drain')
  }
  for (const [name, parts] of [
    ...Object.entries(fixedParts).map(([one, text]): [string, AsyncIterable<string>] => [one, onlyOne(text)]),
    ['xl/worksheets/sheet1.xml', sheetXml(columns, batches)] as [string, AsyncIterable<string>],
  ]) {
    const entry: Entry = { name, offset, crc: 0, packed: 0, size: 0 }
    await write(header(entry, 'local'))
    const deflate = createDeflateRaw({ level: 1 })
    const packing = pack(deflate, write, entry)
    for await (const part of parts) {
      const bytes = Buffer.from(part)
      entry.crc = crc32(bytes, entry.crc)
      entry.size += bytes.length
      if (!deflate.write(bytes)) await once(deflate, 'drain')
    }
    deflate.end()
    await packing
    await write(numbers([0x0807_4b50, entry.crc, entry.packed, entry.size]))
    entries.push(entry)
  }
  await writeDirectory(entries, offset, write)
  await close(out)
}

interface Entry {
  name: string
  offset: number
  crc: number
  packed: number
  size: number
}

async function pack(
  deflate: AsyncIterable<Buffer>,
  write: (bytes: Buffer) => Promise<void>,
  entry: Entry,
): Promise<void> {
  for await (const bytes of deflate) {
    entry.packed += bytes.length
    await write(bytes)
  }
}

async function writeDirectory(entries: Entry[], start: number, write: (bytes: Buffer) => Promise<void>): Promise<void> {
  let length = 0
  for (const entry of entries) {
    const bytes = header(entry, 'central')
    length += bytes.length
    await write(bytes)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(start, 16)
  await write(end)
}

/** Sizes follow the data (bit 3), since they are not known before. Names are UTF-8 (bit 11). */
function header({ name, offset, crc, packed, size }: Entry, kind: 'local' | 'central'): Buffer {
  const isCentral = kind === 'central'
  const label = Buffer.from(name)
  const fixed = Buffer.alloc(isCentral ? 46 : 30)
  fixed.writeUInt32LE(isCentral ? 0x0201_4b50 : 0x0403_4b50, 0)
  let at = 4
  if (isCentral) at = fixed.writeUInt16LE(20, at)
  at = fixed.writeUInt16LE(20, at)
  at = fixed.writeUInt16LE(0x0808, at)
  at = fixed.writeUInt16LE(8, at)
  // 1980-01-01, the first date of the format.
  at = fixed.writeUInt16LE(0, at)
  at = fixed.writeUInt16LE(0x21, at)
  at = fixed.writeUInt32LE(isCentral ? crc : 0, at)
  at = fixed.writeUInt32LE(isCentral ? packed : 0, at)
  at = fixed.writeUInt32LE(isCentral ? size : 0, at)
  fixed.writeUInt16LE(label.length, at)
  if (isCentral) fixed.writeUInt32LE(offset, 42)
  return Buffer.concat([fixed, label])
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

async function close(out: WriteStream): Promise<void> {
  out.end()
  await once(out, 'close')
}

async function* onlyOne(text: string): AsyncGenerator<string> {
  yield text
}

async function* sheetXml(columns: readonly Column[], batches: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
  const names = columns.map((_, at) => columnName(at))
  yield rowXml(
    1,
    columns.map(({ name }) => name),
    names,
    [],
  )
  let number = 1
  for await (const rows of batches) {
    if (number + rows.length > mostRows)
      throw new Error(`A sheet has at most ${mostRows} rows. Save as CSV or Parquet.`)
    yield rows.map((row) => rowXml(++number, row, names, columns)).join('')
  }
  yield '</sheetData></worksheet>'
}

function rowXml(number: number, row: readonly Cell[], names: readonly string[], columns: readonly Column[]): string {
  const cells = row.map((cell, at) => cellXml(cell, `${names[at]}${number}`, columns[at]?.kind))
  return `<row r="${number}">${cells.join('')}</row>`
}

function cellXml(cell: Cell, at: string, kind: Column['kind'] | undefined): string {
  if (cell === null) return ''
  if (kind === 'number' && isExactNumber(cell)) return `<c r="${at}"><v>${cell}</v></c>`
  if (kind === 'boolean' && /^(true|false)$/.test(cell))
    return `<c r="${at}" t="b"><v>${cell === 'true' ? 1 : 0}</v></c>`
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`
}

/** Excel keeps 15 digits. Longer numbers stay texts. */
function isExactNumber(text: string): boolean {
  return (
    /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) &&
    text.replace(/e.*$/i, '').replaceAll(/\D/g, '').replace(/^0+/, '').length <= 15
  )
}

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .slice(0, 32_767)
}

function columnName(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest === 0 ? '' : columnName(rest - 1)) + String.fromCharCode(65 + (index % 26))
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const fixedParts = {
  '[Content_Types].xml': `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Query" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

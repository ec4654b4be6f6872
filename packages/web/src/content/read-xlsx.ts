import readWorkbook from 'read-excel-file/universal'
import { makeSheet, type Sheet } from './sheet.ts'

/** Reads the sheets of an XLSX file. Throws if the file is invalid or unpacks to far more than its size. */
export async function readXlsx(bytes: ArrayBuffer): Promise<Sheet[]> {
  await checkWorkbook(bytes)
  const sheets = await readWorkbook(bytes)
  return sheets.map(({ sheet, data }) => makeSheet(sheet, data))
}

interface Entry {
  name: string
  method: number
  packed: number
  size: number
  at: number
}

const limits = { unpacked: 60_000_000, entries: 2000, cells: 3_000_000 }

/**
 * Checks an XLSX file before parsing: its unpacked size and the declared extent of its sheets. A single cell far out
 * would make a table of millions. Throws an error meant for the user.
 */
async function checkWorkbook(bytes: ArrayBuffer): Promise<void> {
  const view = new DataView(bytes)
  const entries = readEntries(view)
  const unpacked = entries.reduce((sum, { size }) => sum + size, 0)
  if (unpacked > limits.unpacked) throw new Error('The file is too large when unpacked.')
  for (const entry of entries) {
    if (!/^xl\/worksheets\/[^/]+\.xml$/i.test(entry.name)) continue
    const { rows, columns } = extentOf(await unpack(bytes, view, entry))
    if (rows * columns > limits.cells) throw new Error(`A sheet is too large: ${rows} rows and ${columns} columns.`)
  }
}

function readEntries(view: DataView): Entry[] {
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > limits.entries) throw new Error('The file has too many parts.')
  const entries: Entry[] = []
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50) throw broken()
    const nameLength = view.getUint16(at + 28, true)
    if (at + 46 + nameLength > view.byteLength) throw broken()
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, nameLength)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** Finds the end record, which precedes an archive comment of at most 65,535 bytes. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at -= 1)
    if (view.getUint32(at, true) === 0x06054b50) return at
  throw broken()
}

async function unpack(bytes: ArrayBuffer, view: DataView, { at, method, packed }: Entry): Promise<string> {
  if (at + 30 > view.byteLength) throw broken()
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const data = bytes.slice(start, start + packed)
  if (method === 0) return new TextDecoder().decode(data)
  if (method !== 8) throw broken()
  const decoder = new TextDecoder()
  let text = ''
  try {
    const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += decoder.decode(value, { stream: true })
      if (text.length > limits.unpacked) {
        await reader.cancel()
        throw new RangeError('too long')
      }
    }
  } catch (error) {
    throw error instanceof RangeError ? new Error('The file is too large when unpacked.', { cause: error }) : broken()
  }
}

function extentOf(xml: string): { rows: number; columns: number } {
  let rows = 0
  let columns = 0
  for (const [, letters, digits] of xml.matchAll(/\b(?:r|ref)\s*=\s*["'](?:[A-Z]+\d+:)?([A-Z]{0,7})(\d{1,9})["']/gi)) {
    rows = Math.max(rows, Number(digits))
    columns = Math.max(columns, columnOf((letters ?? '').toUpperCase()))
  }
  return { rows, columns }
}

function columnOf(letters: string): number {
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column
}

function broken(): Error {
  return new Error('This is not an XLSX file, or it’s damaged.')
}

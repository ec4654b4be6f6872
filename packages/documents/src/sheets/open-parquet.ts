import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { AsyncBuffer, Compressors, FileMetaData, SchemaElement } from 'hyparquet'
import type { DocumentSource } from '../reader.ts'
import { type CellRange, maxColumn } from './address.ts'
import { plainNumber } from './format-value.ts'
import { oneLine } from './markdown-table.ts'
import type { SheetCell, SheetInfo, SheetRow, SheetWindow, Workbook } from './workbook.ts'

/** Columns are decoded by row group, so fewer are read of wide files. */
const maxColumns = 100
const maxPageBytes = 256 * 2 ** 20

/** Opens a Parquet file as one sheet, whose first row has the names of the columns. */
export async function openParquet(source: DocumentSource): Promise<Workbook> {
  const { parquetMetadataAsync } = await import('hyparquet')
  const file = bufferOf(source)
  const metadata = await parquetMetadataAsync(file).catch((error: unknown) => {
    throw new Error(`The Parquet file could not be read: ${messageOf(error)}. It may be damaged.`, { cause: error })
  })
  const rows = Number(metadata.num_rows)
  const columns = columnsOf(metadata)
  const sheet: SheetInfo = { name: 'rows', state: 'visible' }
  const used: CellRange = { top: 1, left: 1, bottom: rows + 1, right: Math.max(1, columns.length) }
  return {
    sheets: [sheet],
    names: [],
    notes: [],
    outline: `Columns:\n${columns
      .slice(0, 200)
      .map((column) => `- ${oneLine(column.name)}: ${typeName(column)}`)
      .join('\n')}`,
    facts: `${rows} rows, ${columns.length} columns${metadata.created_by === undefined ? '' : `, written by ${oneLine(metadata.created_by)}`}`,
    used: () => Promise.resolve({ range: used }),
    window: (_, range, most) => windowOf(file, metadata, range, most),
  }
}

async function windowOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  range: CellRange,
  most: number,
): Promise<SheetWindow> {
  const { parquetReadObjects } = await import('hyparquet')
  const columns = columnsOf(metadata).map(({ name }, index) => ({ name, column: index + 1 }))
  const wanted = columns.slice(range.left - 1, Math.min(range.right, range.left - 1 + maxColumns, maxColumn))
  const total = Number(metadata.num_rows)
  const start = Math.max(0, range.top - 2)
  const room = Math.max(1, Math.ceil(most / Math.max(1, wanted.length)))
  const end = Math.min(total, range.bottom - 1, start + room)
  const rows: SheetRow[] = []
  if (range.top <= 1) rows.push({ number: 1, cells: wanted.map(({ name, column }) => ({ column, text: name })) })
  if (end > start && wanted.length > 0) {
    const objects = await parquetReadObjects({
      file,
      metadata,
      columns: wanted.map(({ name }) => name),
      rowStart: start,
      rowEnd: end,
      compressors,
    }).catch((error: unknown) => {
      throw new Error(`The rows could not be read: ${messageOf(error)}. Use Query for this file.`, { cause: error })
    })
    for (const [index, object] of objects.entries())
      rows.push({
        number: start + index + 2,
        cells: wanted.flatMap(({ name, column }) => toCell(column, object[name])),
      })
  }
  const isCut = end < Math.min(total, range.bottom - 1)
  return { rows, nextRow: isCut ? end + 2 : undefined, hiddenColumns: [], merged: [], details: [] }
}

function toCell(column: number, value: unknown): SheetCell[] {
  if (value === null || value === undefined) return []
  return [{ column, text: textOf(value), isNumber: typeof value === 'number' || typeof value === 'bigint' }]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return dateText(value)
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (typeof value === 'number') return plainNumber(value)
  if (typeof value === 'bigint') return value.toString()
  return JSON.stringify(value, plain) ?? ''
}

function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return value
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime())
    ? ''
    : date
        .toISOString()
        .replace(/T00:00:00\.000Z$/, '')
        .replace('.000Z', 'Z')
}

/** Top-level columns. Lists and records are one column each. */
function columnsOf({ schema }: FileMetaData): SchemaElement[] {
  const columns: SchemaElement[] = []
  let at = 1
  const skip = (): void => {
    const children = schema[at]?.num_children ?? 0
    at++
    for (let i = 0; i < children && at < schema.length; i++) skip()
  }
  while (at < schema.length) {
    columns.push(schema[at]!)
    skip()
  }
  return columns
}

function typeName({
  type,
  converted_type: converted,
  logical_type: logical,
  num_children: children,
  repetition_type: repetition,
}: SchemaElement): string {
  const name = logical?.type ?? converted ?? type ?? ((children ?? 0) > 0 ? 'record' : 'unknown')
  return `${name.toLowerCase()}${repetition === 'REQUIRED' ? '' : ', may be empty'}`
}

function bufferOf(source: DocumentSource): AsyncBuffer {
  return {
    byteLength: source.size,
    async slice(start, end = source.size) {
      const bytes = await source.bytesAt(start, Math.max(0, end - start))
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    },
  }
}

const limits = { maxOutputLength: maxPageBytes }

/** Snappy is part of the library. */
const compressors: Compressors = {
  GZIP: (input) => gunzipSync(input, limits),
  BROTLI: (input) => brotliDecompressSync(input, limits),
  ZSTD: (input) => zstdDecompressSync(input, limits),
}

function messageOf(error: unknown): string {
  // What the library throws at a damaged file is about its own code.
  if (error instanceof TypeError || error instanceof RangeError) return 'its structure is wrong'
  return (error instanceof Error ? error.message : String(error)).slice(0, 200)
}

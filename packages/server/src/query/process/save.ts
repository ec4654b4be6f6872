import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Cell, Column, SaveFormat } from './messages.ts'
import type { Rows } from './rows.ts'
import { writeWorkbook } from './workbook.ts'

/** Writes all rows to a file. Resolves with their number. */
export async function saveRows(rows: Rows, format: SaveFormat, file: string): Promise<number> {
  const counter = { count: 0 }
  const cells = cellsOf(rows, counter)
  if (format === 'csv') await pipeline(csvLines(rows.columns, cells), createWriteStream(file))
  else if (format === 'xlsx') await writeWorkbook(file, rows.columns, cells)
  else await writeParquet(file, rows.columns, cells)
  return counter.count
}

async function* cellsOf({ batches }: Rows, counter: { count: number }): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) {
    counter.count += batch.count
    yield batch.rows()
  }
}

async function* csvLines(columns: readonly Column[], batches: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => csvCell(name, 'text')).join(',')}\r\n`
  for await (const rows of batches)
    yield rows.map((row) => `${row.map((cell, at) => csvCell(cell, columns[at]?.kind)).join(',')}\r\n`).join('')
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
function csvCell(cell: Cell, kind: Column['kind'] | undefined): string {
  if (cell === null) return ''
  const isFormula = kind !== 'number' && /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text
}

/** DuckDB writes the file. Values arrive as text and get the type that their column says. */
async function writeParquet(file: string, columns: readonly Column[], batches: AsyncIterable<Cell[][]>): Promise<void> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`create table rows (${columns.map((_, at) => `c${at} varchar`).join(', ')})`)
  const appender = await connection.createAppender('rows')
  for await (const rows of batches) {
    for (const row of rows) {
      for (const cell of row) {
        if (cell === null) appender.appendNull()
        else appender.appendVarchar(cell)
      }
      appender.endRow()
    }
  }
  appender.closeSync()
  const list = columns.map(
    (column, at) => `cast(c${at} as ${parquetType(column)}) as "${column.name.replaceAll('"', '""')}"`,
  )
  const copy = (from: string): Promise<unknown> =>
    connection.run(`copy (${from}) to '${file.replaceAll("'", "''")}' (format parquet)`)
  // A database may store other values than the type says.
  await copy(`select ${list.join(', ')} from rows`).catch(() => copy('select * from rows'))
}

function parquetType({ type, kind }: Column): string {
  const decimal = /^(?:decimal|numeric)\((\d+),\s*(\d+)\)/i.exec(type)
  if (decimal !== null && Number(decimal[1]) <= 38) return `decimal(${decimal[1]}, ${decimal[2]})`
  if (kind === 'number') return /int|serial|year/i.test(type) ? 'bigint' : 'double'
  if (kind === 'boolean') return 'boolean'
  if (kind === 'time' && /^date$/i.test(type)) return 'date'
  if (kind === 'time' && /^(timestamp|datetime)/i.test(type)) return 'timestamp'
  return 'varchar'
}

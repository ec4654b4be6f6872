import { columnName, type CellRange } from './address.ts'
import type { SheetRow, SheetWindow } from './workbook.ts'

const maxCellLength = 2000

export interface RenderedTable {
  text: string
  /** First row that did not fit. */
  nextRow?: number | undefined
  /** The cells that the table shows. */
  range?: CellRange | undefined
  /** First column that was left out for lack of room. */
  nextColumn?: number | undefined
}

/** A Markdown table with column letters and row numbers. Columns without a value are left out. */
export function renderTable(
  { rows, hiddenColumns, nextRow }: SheetWindow,
  { most, maxColumns = 100 }: { most: number; maxColumns?: number },
): RenderedTable {
  const used = new Set<number>()
  for (const { cells } of rows) for (const { column } of cells) used.add(column)
  const sorted = [...used].sort((a, b) => a - b)
  const columns = sorted.slice(0, maxColumns)
  if (columns.length === 0) return { text: '', nextRow }
  const isHidden = (column: number): boolean =>
    hiddenColumns.some(({ left, right }) => column >= left && column <= right)
  const names = columns.map((column) => `${columnName(column)}${isHidden(column) ? ' (hidden)' : ''}`)
  const lines = [`|  | ${names.join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`]
  let length = lines[0]!.length + lines[1]!.length
  let last: number | undefined
  for (const row of rows) {
    const line = renderRow(row, columns)
    if (last !== undefined && length + line.length > most)
      return {
        text: lines.join('\n'),
        nextRow: row.number,
        range: shown(rows, last, columns),
        nextColumn: sorted[maxColumns],
      }
    lines.push(line)
    length += line.length + 1
    last = row.number
  }
  return {
    text: lines.join('\n'),
    nextRow,
    range: last === undefined ? undefined : shown(rows, last, columns),
    nextColumn: sorted[maxColumns],
  }
}

function shown(rows: readonly SheetRow[], bottom: number, columns: readonly number[]): CellRange {
  return { top: rows[0]!.number, bottom, left: columns[0]!, right: columns.at(-1)! }
}

function renderRow({ number, isHidden, cells }: SheetRow, columns: readonly number[]): string {
  const texts = new Map(
    cells.map(({ column, text, formula }) => [
      column,
      formula === undefined ? tableCell(text) : `${tableCell(formula)} -> ${tableCell(text)}`,
    ]),
  )
  return `| ${number}${isHidden === true ? ' (hidden)' : ''} | ${columns.map((column) => texts.get(column) ?? '').join(' | ')} |`
}

export function tableCell(text: string): string {
  const cut = text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text
  return cut
    .replaceAll('|', '\\|')
    .replace(/\r\n?|\n/g, '<br>')
    .trim()
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}

import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx'
import { type CellRange, formatRange } from './address.ts'
import { oneLine } from './markdown-table.ts'
import type { SheetCell, SheetInfo, SheetRow, SheetWindow, Workbook } from './workbook.ts'

/** Opens a binary workbook (`.xls`, `.xlsb`). The library parses all of it at once, so this needs a process that can be killed. */
export async function openXls(bytes: Buffer): Promise<Workbook> {
  const { read } = await import('@e965/xlsx')
  let book: WorkBook
  try {
    book = read(bytes, {
      dense: true,
      cellFormula: true,
      cellHTML: false,
      cellText: true,
      cellStyles: true,
      bookVBA: true,
      dateNF: 'yyyy-mm-dd',
    })
  } catch (error) {
    throw new Error(reason(error), { cause: error })
  }
  const properties = book.Workbook?.Sheets ?? []
  const sheets: SheetInfo[] = book.SheetNames.map((name, index) => ({
    name,
    state: (properties[index]?.Hidden ?? 0) === 0 ? 'visible' : 'hidden',
    without: sheetType(book.Sheets[name]),
  }))
  const sheetOf = (sheet: SheetInfo): WorkSheet | undefined => book.Sheets[sheet.name]
  return {
    sheets,
    // Built-in names of old files come without a reference.
    names: (book.Workbook?.Names ?? []).map(({ Name, Ref }) => ({ name: String(Name), refersTo: String(Ref ?? '') })),
    notes: book.vbaraw === undefined ? [] : ['The workbook has macros. They were not run.'],
    used: (sheet) => {
      const range = usedRange(sheetOf(sheet))
      return Promise.resolve(range && { range })
    },
    window: (sheet, range, most) => Promise.resolve(windowOf(sheetOf(sheet), range, most)),
  }
}

function sheetType(sheet: WorkSheet | undefined): string | undefined {
  const type = (sheet as { '!type'?: string } | undefined)?.['!type']
  return type === undefined || type === 'sheet' || type === 'macro' ? undefined : `a ${type} sheet`
}

function rowsOf(sheet: WorkSheet | undefined): readonly (readonly (CellObject | undefined)[] | undefined)[] {
  return (sheet as { '!data'?: (CellObject | undefined)[][] } | undefined)?.['!data'] ?? []
}

function hasValue(cell: CellObject | undefined): cell is CellObject {
  return cell !== undefined && (cell.t !== 'z' || cell.f !== undefined)
}

function usedRange(sheet: WorkSheet | undefined): CellRange | undefined {
  let used: CellRange | undefined
  for (const [index, row] of rowsOf(sheet).entries()) {
    const left = row?.findIndex(hasValue) ?? -1
    if (row === undefined || left === -1) continue
    const right = row.findLastIndex(hasValue) + 1
    used ??= { top: index + 1, left: left + 1, bottom: index + 1, right }
    used.bottom = index + 1
    used.left = Math.min(used.left, left + 1)
    used.right = Math.max(used.right, right)
  }
  return used
}

function windowOf(sheet: WorkSheet | undefined, range: CellRange, most: number): SheetWindow {
  const data = rowsOf(sheet)
  const rows: SheetRow[] = []
  const comments: string[] = []
  const links: string[] = []
  let count = 0
  let nextRow: number | undefined
  for (let number = range.top; number <= Math.min(range.bottom, data.length); number++) {
    const cells: SheetCell[] = []
    for (const [index, cell] of (data[number - 1] ?? []).entries()) {
      const column = index + 1
      if (column < range.left || column > range.right || cell === undefined) continue
      const name = cellName(number, column)
      for (const comment of cell.c ?? []) comments.push(`- ${name}: ${oneLine(String(comment.t ?? ''))}`)
      if (cell.l?.Target !== undefined) links.push(`- ${name}: ${oneLine(cell.l.Target)}`)
      if (hasValue(cell)) cells.push(toCell(cell, column))
    }
    if (cells.length === 0) continue
    if (count >= most) {
      nextRow = number
      break
    }
    count += cells.length
    rows.push({ number, isHidden: sheet?.['!rows']?.[number - 1]?.hidden, cells })
  }
  return {
    rows,
    nextRow,
    hiddenColumns: (sheet?.['!cols'] ?? []).flatMap((column, index) =>
      (column as { hidden?: boolean } | undefined)?.hidden === true
        ? [{ top: 1, bottom: Infinity, left: index + 1, right: index + 1 }]
        : [],
    ),
    merged: (sheet?.['!merges'] ?? []).map(({ s, e }) => ({
      top: s.r + 1,
      left: s.c + 1,
      bottom: e.r + 1,
      right: e.c + 1,
    })),
    details: [...section('Comments', comments), ...section('Links', links)],
  }
}

function toCell(cell: CellObject, column: number): SheetCell {
  const { f, w, v, t } = cell
  const value = v instanceof Date ? v.toISOString() : String(v ?? '')
  return {
    column,
    text: t === 'b' ? value.toUpperCase() : (w ?? value).trim(),
    formula: f === undefined ? undefined : cell.F !== undefined ? `{=${f}}` : `=${f}`,
    isNumber: t === 'n',
  }
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `${title}:`, ...items.slice(0, 50)]
}

function cellName(row: number, column: number): string {
  return formatRange({ top: row, bottom: row, left: column, right: column })
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/password|encrypt/i.test(message)) return 'The workbook is protected with a password. Ask for a copy without one.'
  return 'The workbook is damaged and could not be read. Open it in a spreadsheet program and save it again.'
}

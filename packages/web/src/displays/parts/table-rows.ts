import { isRecord, recordsIn, textIn } from '../../api/read-fields.ts'

export interface TableColumn {
  name: string
  type: string
  isNumber: boolean
}

export type Cell = string | null

export interface Sort {
  column: number
  isDescending: boolean
}

export function readColumns(value: unknown): TableColumn[] {
  return recordsIn(value).map((column) => ({
    name: textIn(column['name']) ?? '',
    type: textIn(column['type']) ?? '',
    isNumber: column['kind'] === 'number',
  }))
}

export function readRows(value: unknown): Cell[][] {
  if (!Array.isArray(value)) return []
  return value.flatMap((row: unknown) =>
    Array.isArray(row)
      ? [row.map((cell: unknown) => (cell === null ? null : typeof cell === 'string' ? cell : ''))]
      : [],
  )
}

/** Rows with a cell that contains the text, in the wanted order. Empty cells come last. */
export function arrangeRows(
  rows: readonly Cell[][],
  columns: readonly TableColumn[],
  { filter, sort }: { filter: string; sort: Sort | undefined },
): readonly Cell[][] {
  const wanted = filter.trim().toLowerCase()
  const found = wanted === '' ? rows : rows.filter((row) => row.some((cell) => cell?.toLowerCase().includes(wanted)))
  if (sort === undefined) return found
  const { column, isDescending } = sort
  const compare = columns[column]?.isNumber === true ? compareNumbers : compareTexts
  return found.toSorted((a, b) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return isDescending ? compare(right, left) : compare(left, right)
  })
}

const whole = /^-?\d+$/

/** Whole numbers can be longer than a number holds. */
function compareNumbers(a: string, b: string): number {
  if (whole.test(a) && whole.test(b)) {
    const difference = BigInt(a) - BigInt(b)
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  }
  return Number(a) - Number(b)
}

const collator = new Intl.Collator(undefined, { numeric: true })

function compareTexts(a: string, b: string): number {
  return collator.compare(a, b)
}

const mostPoints = 200

/** A chart of a numeric column by another one. Undefined if no column is numeric. */
export function chartOf(
  rows: readonly Cell[][],
  columns: readonly TableColumn[],
  { x, y, type }: { x: number; y: number; type: 'bar' | 'line' },
): Record<string, unknown> {
  const points = rows.slice(0, mostPoints)
  return {
    tooltip: { trigger: 'axis' },
    xAxis: { type: 'category', data: points.map((row) => row[x] ?? '') },
    yAxis: { type: 'value' },
    series: [{ type, name: columns[y]?.name ?? '', data: points.map((row) => numberOf(row[y] ?? null)) }],
  }
}

function numberOf(cell: Cell): number | null {
  const number = cell === null || cell === '' ? Number.NaN : Number(cell)
  return Number.isFinite(number) ? number : null
}

export function isTable(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['columns']) && Array.isArray(value['rows'])
}

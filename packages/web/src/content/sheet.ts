export interface Sheet {
  name: string
  rows: string[][]
  /** True if rows or columns were cut off. */
  cutRows: boolean
  cutColumns: boolean
}

export const sheetLimits = { rows: 10_000, columns: 200, cell: 5000 }

export function makeSheet(name: string, given: readonly (readonly unknown[])[]): Sheet {
  const rows = given.slice(0, sheetLimits.rows).map((row) => row.slice(0, sheetLimits.columns).map(textOf))
  return {
    name,
    rows,
    cutRows: given.length > sheetLimits.rows,
    cutColumns: given.some((row) => row.length > sheetLimits.columns),
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? '' : value.toISOString().replace(/T00:00:00\.000Z$/, '')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > sheetLimits.cell ? `${text.slice(0, sheetLimits.cell)}…` : text
}

import type { SheetCells } from '@troupe/protocol'
import type { FileSource } from './file-source.ts'
import { type CellBlock, formatCells } from './sheet-place.ts'

type Row = SheetCells['read'][number]
type Cell = Row['cells'][number]

/** Cells of one sheet, read in blocks as they are needed. */
export interface SheetStore {
  sheet: string
  sheets: SheetCells['sheets']
  notes: readonly string[]
  rows: number
  columns: number
  cell(row: number, column: number): Cell | undefined
  isHidden(row: number): boolean
  /** Loads the blocks around these cells. */
  need(cells: CellBlock): void
  onChange(listener: () => void): () => void
}

const blockRows = 200
const blockColumns = 64
/** Blocks in memory. Those that were needed longest ago go first. */
const keptBlocks = 60

type Block = Map<number, { isHidden: boolean; cells: Map<number, Cell> }>

/** Undefined for a file that is no workbook, such as a web page under the name of one. */
export async function createSheetStore(
  source: FileSource,
  sheet: string | undefined,
  signal: AbortSignal,
): Promise<SheetStore | undefined> {
  const first = await source.read({ sheet, cells: '1', limit: 1 }, signal)
  if (first.cells === undefined) return undefined
  const { sheet: name, sheets, rows = 0, columns = 0 } = first.cells
  const blocks = new Map<string, Block>()
  const loading = new Set<string>()
  const listeners = new Set<() => void>()

  async function load(rowBlock: number, columnBlock: number): Promise<void> {
    const key = keyOf(rowBlock, columnBlock)
    if (blocks.has(key) || loading.has(key)) return
    loading.add(key)
    try {
      const top = rowBlock * blockRows + 1
      const left = columnBlock * blockColumns + 1
      const block: Block = new Map()
      let from: number | undefined = top
      // An answer that is full is continued at the row it names.
      while (from !== undefined) {
        const range = formatCells({ top: from, left, bottom: top + blockRows - 1, right: left + blockColumns - 1 })
        const { cells }: { cells?: SheetCells | undefined } = await source.read(
          { sheet: name, range, cells: '1' },
          signal,
        )
        for (const row of cells?.read ?? [])
          block.set(row.number, {
            isHidden: row.isHidden === true,
            cells: new Map(row.cells.map((cell) => [cell.column, cell])),
          })
        from = cells?.nextRow !== undefined && cells.nextRow > from ? cells.nextRow : undefined
      }
      blocks.set(key, block)
      for (const oldest of blocks.keys()) {
        if (blocks.size <= keptBlocks) break
        blocks.delete(oldest)
      }
    } finally {
      loading.delete(key)
      for (const listener of listeners) listener()
    }
  }

  const find = (row: number, column: number) =>
    blocks.get(keyOf(Math.floor((row - 1) / blockRows), Math.floor((column - 1) / blockColumns)))?.get(row)
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    sheet: name,
    sheets,
    notes: first.notes ?? [],
    rows: Math.max(1, rows),
    columns: Math.max(1, columns),
    cell: (row, column) => find(row, column)?.cells.get(column),
    isHidden: (row) => find(row, 1)?.isHidden === true,
    need({ top, left, bottom, right }) {
      // Rows that pass by while the person scrolls are not read.
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (let row = Math.floor((top - 1) / blockRows); row <= Math.floor((bottom - 1) / blockRows); row++)
          for (
            let column = Math.floor((left - 1) / blockColumns);
            column <= Math.floor((right - 1) / blockColumns);
            column++
          )
            load(row, column).catch(() => undefined)
      }, 60)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function keyOf(rowBlock: number, columnBlock: number): string {
  return `${rowBlock} ${columnBlock}`
}

/** Row and column count from 1. */
export interface CellPosition {
  row: number
  column: number
}

export interface CellBlock {
  top: number
  left: number
  bottom: number
  right: number
}

/** `28` is `AB`. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

export function formatCells({ top, left, bottom, right }: CellBlock): string {
  const start = `${columnName(left)}${top}`
  return top === bottom && left === right ? start : `${start}:${columnName(right)}${bottom}`
}

export function selectionOf(a: CellPosition, b: CellPosition): CellBlock {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column),
  }
}

const maxSelected = 20_000

/** The cells with tabs between them, as a spreadsheet program copies them. */
export function textOfSelection(
  { top, left, bottom, right }: CellBlock,
  cell: (row: number, column: number) => { text: string; formula?: string | undefined } | undefined,
): string {
  const lines: string[] = []
  let length = 0
  for (let row = top; row <= bottom && length < maxSelected; row++) {
    const texts: string[] = []
    for (let column = left; column <= right; column++) {
      const { text = '', formula } = cell(row, column) ?? {}
      texts.push(formula === undefined ? text.replace(/\s+/g, ' ') : `${text} (${formula})`)
    }
    lines.push(texts.join('\t'))
    length += lines.at(-1)!.length + 1
  }
  return lines.join('\n')
}

/** Returns the cell that a key moves to. Undefined for other keys. */
export function moved(
  { row, column }: CellPosition,
  { key, ctrlKey, metaKey }: { key: string; ctrlKey: boolean; metaKey: boolean },
  { rows, columns, page }: { rows: number; columns: number; page: number },
): CellPosition | undefined {
  const far = ctrlKey || metaKey
  const target: Record<string, CellPosition> = {
    ArrowDown: { row: far ? rows : row + 1, column },
    ArrowUp: { row: far ? 1 : row - 1, column },
    ArrowRight: { row, column: far ? columns : column + 1 },
    ArrowLeft: { row, column: far ? 1 : column - 1 },
    PageDown: { row: row + page, column },
    PageUp: { row: row - page, column },
    Home: { row: far ? 1 : row, column: 1 },
    End: { row: far ? rows : row, column: columns },
  }
  const to = Object.hasOwn(target, key) ? target[key] : undefined
  if (to === undefined) return undefined
  return { row: clamp(to.row, rows), column: clamp(to.column, columns) }
}

function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(most, value))
}

/** Browsers cut elements that are higher than about 17 million pixels. */
const maxHeight = 10_000_000

export function scrollHeight(rows: number, rowHeight: number): number {
  return Math.min(rows * rowHeight, maxHeight)
}

interface Extent {
  rows: number
  rowHeight: number
  /** Height of the visible rows. */
  bodyHeight: number
}

/** The first visible row. In sheets that are cut, one pixel of scrolling passes several rows. */
export function rowAt(scrollTop: number, { rows, rowHeight, bodyHeight }: Extent): number {
  const last = Math.max(1, rows - Math.floor(bodyHeight / rowHeight) + 1)
  if (rows * rowHeight <= maxHeight) return Math.max(1, Math.min(rows, Math.floor(scrollTop / rowHeight) + 1))
  const share = scrollTop / Math.max(1, maxHeight - bodyHeight)
  return Math.max(1, Math.min(last, Math.round(share * (last - 1)) + 1))
}

/** The scroll position that makes a row the first visible one. */
export function scrollTopOf(row: number, { rows, rowHeight, bodyHeight }: Extent): number {
  if (rows * rowHeight <= maxHeight) return (row - 1) * rowHeight
  const last = Math.max(2, rows - Math.floor(bodyHeight / rowHeight) + 1)
  return ((row - 1) / (last - 1)) * (maxHeight - bodyHeight)
}

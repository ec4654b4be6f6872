import type { Box } from './geometry.ts'
import type { Segment } from './page-lines.ts'

/** Part of a page that is read from top to bottom. Each row has the segments of one line, from the left. */
export interface Block extends Box {
  rows: Segment[][]
  /** Left edges of the columns, if the rows form a table. */
  columns?: number[] | undefined
}

/** Deepest nesting of columns in rows in columns. */
const deepest = 16

/** Orders segments as a person reads them: from the top, and column by column where text runs in columns. */
export function layOut(segments: readonly Segment[]): Block[] {
  const blocks: Block[] = []
  divide(segments, 0, blocks)
  return blocks
}

function divide(segments: readonly Segment[], depth: number, blocks: Block[]): void {
  if (segments.length === 0) return
  if (segments.length === 1 || depth >= deepest) {
    blocks.push(toBlock(segments))
    return
  }
  const size = medianSize(segments)
  const columns = splitAcross(segments, size)
  if (columns !== undefined) {
    if (isTable(columns, segments)) {
      blocks.push(toBlock(segments, columns))
      return
    }
    if (areTextColumns(columns)) {
      for (const column of columns) divide(column, depth + 1, blocks)
      return
    }
  }
  const bands = splitDown(segments, size)
  if (bands !== undefined) {
    for (const band of bands) divide(band, depth + 1, blocks)
    return
  }
  const shared = toRows(segments).filter((row) => row.length >= 2)
  if (columns !== undefined && shared.length < 2) for (const column of columns) divide(column, depth + 1, blocks)
  else blocks.push(toBlock(segments))
}

/** Columns with a gutter that nothing crosses. */
function splitAcross(segments: readonly Segment[], size: number): Segment[][] | undefined {
  const sorted = segments.toSorted((a, b) => a.x0 - b.x0)
  const columns: Segment[][] = []
  let end = -Infinity
  for (const segment of sorted) {
    if (segment.x0 > end + size * 0.6 || columns.length === 0) columns.push([])
    columns.at(-1)?.push(segment)
    end = Math.max(end, segment.x1)
  }
  return columns.length > 1 ? columns : undefined
}

/**
 * Splits at horizontal gaps. Where the number of columns changes, such as below a title, the parts are divided further.
 */
function splitDown(segments: readonly Segment[], size: number): Segment[][] | undefined {
  const sorted = segments.toSorted((a, b) => a.y0 - b.y0)
  const gaps: { at: number; height: number }[] = []
  let end = -Infinity
  for (const [index, { y0, y1 }] of sorted.entries()) {
    if (index > 0 && y0 > end) gaps.push({ at: index, height: y0 - end })
    end = Math.max(end, y1)
  }
  if (gaps.length === 0) return undefined
  const largest = Math.max(...gaps.map(({ height }) => height))
  // Equal gaps are line spacing. Split at clearly larger ones first, else where a line crosses the columns.
  const usual = median(gaps.map(({ height }) => height))
  const isClear = largest > Math.max(usual * 1.3, size * 0.4)
  const cuts = isClear ? gaps.filter(({ height }) => height > largest * 0.7) : crossings(sorted, gaps)
  if (cuts.length === 0) return undefined
  const bands: Segment[][] = []
  let from = 0
  for (const { at } of cuts) {
    bands.push(sorted.slice(from, at))
    from = at
  }
  bands.push(sorted.slice(from))
  return bands
}

/** Gaps next to a line that reaches over most of the width, above or below lines that do not. */
function crossings<Gap extends { at: number }>(sorted: readonly Segment[], gaps: readonly Gap[]): Gap[] {
  const left = Math.min(...sorted.map(({ x0 }) => x0))
  const right = Math.max(...sorted.map(({ x1 }) => x1))
  const isWide = (from: number, to: number): boolean =>
    to - from === 1 && (sorted[from] as Segment).x1 - (sorted[from] as Segment).x0 > (right - left) * 0.6
  const wide = gaps.map(({ at }, index) => isWide(gaps[index - 1]?.at ?? 0, at))
  wide.push(isWide(gaps.at(-1)?.at ?? 0, sorted.length))
  return gaps.filter((_, index) => wide[index] !== wide[index + 1])
}

/** Cells are short and share their lines. */
function isTable(columns: readonly Segment[][], segments: readonly Segment[]): boolean {
  if (areTextColumns(columns)) return false
  const rows = toRows(segments)
  if (rows.length < 2) return false
  const full = rows.filter((row) => row.length >= 2).length
  return full >= Math.max(2, rows.length * 0.5) && rows.every((row) => row.length <= columns.length)
}

/** Columns of text have several lines, which mostly fill their width. */
function areTextColumns(columns: readonly Segment[][]): boolean {
  return columns.every((column) => {
    const width = Math.max(...column.map(({ x1 }) => x1)) - Math.min(...column.map(({ x0 }) => x0))
    const filled = column.filter(({ x0, x1 }) => x1 - x0 > width * 0.7)
    const letters = median(column.map(({ text }) => text.length))
    return column.length >= 3 && filled.length * 2 >= column.length && letters >= 15
  })
}

function toBlock(segments: readonly Segment[], columns?: readonly Segment[][]): Block {
  return {
    x0: Math.min(...segments.map(({ x0 }) => x0)),
    y0: Math.min(...segments.map(({ y0 }) => y0)),
    x1: Math.max(...segments.map(({ x1 }) => x1)),
    y1: Math.max(...segments.map(({ y1 }) => y1)),
    rows: toRows(segments),
    columns: columns?.map((column) => Math.min(...column.map(({ x0 }) => x0))),
  }
}

function toRows(segments: readonly Segment[]): Segment[][] {
  const rows: Segment[][] = []
  for (const segment of segments.toSorted((a, b) => a.baseline - b.baseline || a.x0 - b.x0)) {
    const row = rows.at(-1)
    const first = row?.[0]
    const isSame =
      first !== undefined && Math.abs(segment.baseline - first.baseline) < Math.min(segment.size, first.size) * 0.4
    if (isSame && row?.every(({ x0, x1 }) => segment.x0 >= x1 - 1 || segment.x1 <= x0 + 1) === true) row.push(segment)
    else rows.push([segment])
  }
  for (const row of rows) row.sort((a, b) => a.x0 - b.x0)
  return rows
}

function medianSize(segments: readonly Segment[]): number {
  return median(segments.map(({ size }) => size))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

import { columnName, columnNumber, maxColumn, maxRow } from '../../sheets/address.ts'

/** 1-based. */
export interface Cell {
  row: number
  column: number
}

export interface Range {
  top: number
  left: number
  bottom: number
  right: number
}

export function parseCell(given: string): Cell {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(given.trim())
  const cell = { row: Number(match?.[2]), column: columnNumber(match?.[1] ?? '') }
  if (match === null || cell.row < 1 || cell.row > maxRow || cell.column > maxColumn)
    throw new Error(`${JSON.stringify(given)} is not a cell. Use a name such as "B4".`)
  return cell
}

export function cellName({ row, column }: Cell): string {
  return `${columnName(column)}${row}`
}

/** Parses `B4`, `B4:D20`, `B:D` and `4:20`. */
export function parseRange(given: string): Range {
  const plain = given.trim().replaceAll('$', '')
  const columns = /^([A-Za-z]{1,3}):([A-Za-z]{1,3})$/.exec(plain)
  if (columns !== null)
    return ordered({ top: 1, bottom: maxRow, left: columnNumber(columns[1]!), right: columnNumber(columns[2]!) })
  const rows = /^(\d{1,7}):(\d{1,7})$/.exec(plain)
  if (rows !== null) return ordered({ top: Number(rows[1]), bottom: Number(rows[2]), left: 1, right: maxColumn })
  const [from = '', to = from, ...rest] = plain.split(':')
  try {
    if (rest.length > 0) throw new Error('too many parts')
    const [a, b] = [parseCell(from), parseCell(to)]
    return ordered({ top: a.row, bottom: b.row, left: a.column, right: b.column })
  } catch (error) {
    throw new Error(`${JSON.stringify(given)} is not a range. Use cells such as "B4:D20".`, { cause: error })
  }
}

function ordered({ top, left, bottom, right }: Range): Range {
  return {
    top: Math.min(top, bottom),
    bottom: Math.max(top, bottom),
    left: Math.min(left, right),
    right: Math.max(left, right),
  }
}

export function rangeName({ top, left, bottom, right }: Range): string {
  if (top === 1 && bottom === maxRow) return `${columnName(left)}:${columnName(right)}`
  if (left === 1 && right === maxColumn) return `${top}:${bottom}`
  const from = cellName({ row: top, column: left })
  return top === bottom && left === right ? from : `${from}:${cellName({ row: bottom, column: right })}`
}

/** Rows or columns that are inserted (`count` > 0) or deleted (`count` < 0) at a position. */
export interface Shift {
  axis: 'row' | 'column'
  at: number
  count: number
}

/** The new first and last position of a stretch. Undefined if all of it is deleted. */
export function shiftStretch(
  [first, last]: [number, number],
  { at, count, axis }: Shift,
): [number, number] | undefined {
  const most = axis === 'row' ? maxRow : maxColumn
  if (count > 0) {
    const [a, b] = [first >= at ? first + count : first, last >= at ? last + count : last]
    return a > most ? undefined : [a, Math.min(b, most)]
  }
  const end = at - count
  const low = first < at ? first : Math.max(first, end) + count
  const high = last >= end ? last + count : Math.min(last, at - 1)
  return high < low ? undefined : [low, high]
}

export function shiftRange(range: Range, shift: Shift): Range | undefined {
  const isRow = shift.axis === 'row'
  const whole = isRow ? range.top === 1 && range.bottom === maxRow : range.left === 1 && range.right === maxColumn
  if (whole) return range
  const moved = shiftStretch(isRow ? [range.top, range.bottom] : [range.left, range.right], shift)
  if (moved === undefined) return undefined
  const [low, high] = moved
  return isRow ? { ...range, top: low, bottom: high } : { ...range, left: low, right: high }
}

/** Shifts a list of ranges such as `A1:B2 C3`. Undefined if nothing is left. */
export function shiftRangeList(list: string, shift: Shift): string | undefined {
  const ranges = list
    .trim()
    .split(/\s+/)
    .flatMap((one) => {
      const moved = shiftRange(parseRange(one), shift)
      return moved === undefined ? [] : [rangeName(moved)]
    })
  return ranges.length === 0 ? undefined : ranges.join(' ')
}

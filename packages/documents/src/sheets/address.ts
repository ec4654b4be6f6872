/** A block of cells. Rows and columns count from 1, and both ends belong to it. */
export interface CellRange {
  top: number
  left: number
  bottom: number
  right: number
}

/** The largest sheet that any spreadsheet program makes. */
export const maxRow = 1_048_576
export const maxColumn = 16_384

/** `28` is `AB`. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  return name
}

/** `AB` is `28`. */
export function columnNumber(name: string): number {
  let column = 0
  for (let at = 0; at < name.length; at++) column = column * 26 + (name.charCodeAt(at) & 31)
  return column
}

/** Reads `B4:D20`, `B4`, `B:D` or `4:20`, with or without `$`. Undefined if it is none of these. */
export function parseRange(text: string): CellRange | undefined {
  const match = /^([A-Z]{1,3})?(\d{1,9})?(?::([A-Z]{1,3})?(\d{1,9})?)?$/i.exec(text.replaceAll('$', '').trim())
  if (match === null) return undefined
  const [, startColumn, startRow, endColumn, endRow] = match
  if (startColumn === undefined && startRow === undefined) return undefined
  const isOne = !text.includes(':')
  if (isOne && (startColumn === undefined || startRow === undefined)) return undefined
  const left = startColumn === undefined ? 1 : columnNumber(startColumn)
  const top = Number(startRow ?? 1)
  const right = isOne ? left : endColumn === undefined ? maxColumn : columnNumber(endColumn)
  const bottom = isOne ? top : Number(endRow ?? Infinity)
  const range = {
    top: Math.min(top, bottom),
    left: Math.min(left, right),
    bottom: Math.max(top, bottom),
    right: Math.max(left, right),
  }
  return range.top < 1 || range.left < 1 || range.left > maxColumn ? undefined : range
}

/** Splits `'My sheet'!B4:D20` into the name of the sheet and the cells. */
export function splitReference(text: string): { sheet?: string; cells: string } {
  const match = /^(?:'((?:[^']|'')+)'|([^'!]+))!(.+)$/.exec(text.trim())
  if (match === null) return { cells: text.trim() }
  const [, quoted, plain, cells = ''] = match
  return { sheet: quoted === undefined ? (plain ?? '') : quoted.replaceAll("''", "'"), cells }
}

export function formatRange({ top, left, bottom, right }: CellRange): string {
  const start = `${columnName(left)}${top}`
  return top === bottom && left === right ? start : `${start}:${columnName(right)}${bottom}`
}

/** A reference that a spreadsheet program understands: `'My sheet'!B4:D20`. */
export function formatReference(sheet: string, range: CellRange): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  return `${name}!${formatRange(range)}`
}

export function overlaps(a: CellRange, b: CellRange): boolean {
  return a.top <= b.bottom && b.top <= a.bottom && a.left <= b.right && b.left <= a.right
}

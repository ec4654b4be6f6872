/** The rows of a list that are drawn, and the room that stands for the others. */
export interface RowWindow {
  from: number
  /** The first one that is not drawn any more. */
  to: number
  above: number
  below: number
}

export interface Rows {
  count: number
  /** As measured, or as guessed. */
  heightOf(index: number): number
}

/** The last rows that fill a height. */
export function windowAtEnd(rows: Rows, height: number): RowWindow {
  let from = rows.count
  for (let filled = 0; from > 0 && filled < height;) filled += rows.heightOf(--from)
  return { from, to: rows.count, above: heightBetween(rows, 0, from), below: 0 }
}

/** The first rows that fill a height. */
export function windowAtStart(rows: Rows, height: number): RowWindow {
  let to = 0
  for (let filled = 0; to < rows.count && filled < height;) filled += rows.heightOf(to++)
  return { from: 0, to, above: 0, below: heightBetween(rows, to, rows.count) }
}

/** One row, with room for all the others around it. */
export function windowAt(rows: Rows, index: number): RowWindow {
  const above = heightBetween(rows, 0, index)
  return { from: index, to: index + 1, above, below: heightBetween(rows, index + 1, rows.count) }
}

/**
 * The rows that fill the stretch from `top` to `bottom`. Those that are drawn stay where they are, and stay drawn up to
 * `spare` beyond it, so that who goes to and fro does not draw them again. The room above may come out as less than
 * nothing, where its rows are higher than was guessed.
 */
export function moveWindow(
  { from, to, above, below }: RowWindow,
  rows: Rows,
  { top, bottom, spare }: { top: number; bottom: number; spare: number },
): RowWindow {
  const whole = above + heightBetween(rows, from, to) + below
  let first = from
  let start = above
  while (first > 0 && start > top) start -= rows.heightOf(--first)
  while (first < rows.count - 1 && start + rows.heightOf(first) < top - spare) start += rows.heightOf(first++)
  let last = first
  let end = start
  while (last < rows.count && end < bottom) end += rows.heightOf(last++)
  while (last >= from && last < to && end < bottom + spare) end += rows.heightOf(last++)
  return { from: first, to: last, above: start, below: last === rows.count ? 0 : Math.max(0, whole - end) }
}

export function heightBetween({ heightOf }: Rows, from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index++) sum += heightOf(index)
  return sum
}

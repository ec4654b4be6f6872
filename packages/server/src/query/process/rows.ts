import type { Cell, Column, QueryLimits, QueryMessage } from './messages.ts'

/** The result of a statement, as an engine gives it. */
export interface Rows {
  columns: Column[]
  batches: AsyncIterable<Batch> | Iterable<Batch>
  /** Counts the rows that were not fetched, faster than by fetching them. */
  countRest?(): Promise<number>
}

export interface Batch {
  count: number
  /** Converts the rows to exact text. Not called for rows that are only counted. */
  rows(): Cell[][]
}

/** Most characters to send. The history keeps them. */
const mostSent = 400_000
const perMessage = 200

/** Sends the first rows and counts the others. Resolves when the result has ended or the time for counting is over. */
export async function sendRows(
  { columns, batches, countRest }: Rows,
  limits: QueryLimits,
  send: (message: QueryMessage) => void,
): Promise<void> {
  send({ type: 'columns', columns })
  let sent = 0
  let characters = 0
  let count = 0
  let isFull = false
  let countUntil = Infinity
  for await (const batch of batches) {
    if (!isFull) {
      const wanted = batch.rows().slice(0, limits.rows - sent)
      for (let at = 0; at < wanted.length && !isFull; at += perMessage) {
        const rows = wanted.slice(at, at + perMessage).map((row) => row.map((cell) => shortCell(cell, limits.cell)))
        characters += rows.reduce((sum, row) => sum + row.reduce((all, cell) => all + (cell?.length ?? 4), 0), 0)
        sent += rows.length
        isFull = characters > mostSent
        send({ type: 'rows', rows })
      }
      isFull ||= sent >= limits.rows
      if (isFull) countUntil = performance.now() + limits.countMs
    }
    count += batch.count
    if (isFull && countRest !== undefined) {
      const rest = await within(countRest(), limits.countMs)
      return send({ type: 'end', rowCount: count + (rest ?? 0), counted: rest !== undefined })
    }
    if (performance.now() > countUntil) return send({ type: 'end', rowCount: count, counted: false })
  }
  send({ type: 'end', rowCount: count, counted: true })
}

function shortCell(cell: Cell, most: number): Cell {
  return cell === null || cell.length <= most ? cell : `${cell.slice(0, most)}… (${cell.length} characters)`
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

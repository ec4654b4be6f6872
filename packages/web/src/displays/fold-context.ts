import type { DiffLine, DiffRow } from './parse-diff.ts'

export type DiffItem = DiffRow | { type: 'fold'; lines: DiffLine[] }

const around = 3
const worthFolding = 6

/** Long stretches of unchanged lines become one item; a few lines around each change stay. */
export function foldContext(rows: DiffRow[]): DiffItem[] {
  const items: DiffItem[] = []
  for (let at = 0; at < rows.length;) {
    const stretch: DiffLine[] = []
    for (let row = rows[at]; row?.type === 'context'; row = rows[at + stretch.length]) stretch.push(row)
    if (stretch.length === 0) {
      items.push(rows[at++] as DiffRow)
      continue
    }
    const isFirst = at === 0
    at += stretch.length
    const isLast = at === rows.length
    const from = isFirst ? 0 : around
    const to = isLast ? stretch.length : stretch.length - around
    if (to - from < worthFolding || (isFirst && isLast)) items.push(...stretch)
    else items.push(...stretch.slice(0, from), { type: 'fold', lines: stretch.slice(from, to) }, ...stretch.slice(to))
  }
  return items
}

import { createContext, useContext } from 'react'
import { isRecord, recordsIn, textIn } from '../../api/read-fields.ts'
import { type DiffRow, isLine } from './parse-diff.ts'

/** Which hunks of a change the user rejects. All others are accepted. */
export interface HunkChoice {
  /** In the order in which they are shown. */
  ids: readonly string[]
  rejected: ReadonlySet<string>
  disabled: boolean
  /** While the user edits the input, that decides. */
  setEditing: (isEditing: boolean) => void
  toggle: (id: string) => void
  /** Names a hunk that is not chosen. Default: it is rejected. */
  unchosenLabel?: (name: string) => string
}

/** Null where there is nothing to choose. */
export const HunkChoiceContext = createContext<HunkChoice | null>(null)

export function useHunkChoice(): HunkChoice | null {
  return useContext(HunkChoiceContext)
}

interface ShownHunk {
  id: string
  from: number
  to: number
}

/** Hunks of a diff or of a patch that is to be approved. */
export function hunksIn(content: unknown): ShownHunk[] {
  if (!isRecord(content)) return []
  if (content['kind'] === 'patch') return recordsIn(content['files']).flatMap(hunksIn)
  return recordsIn(content['hunks']).flatMap(({ id, from, to }) =>
    textIn(id) === undefined ? [] : [{ id: String(id), from: Number(from), to: Number(to) }],
  )
}

/** Puts a row before each hunk, and marks its lines. A hunk without lines, such as a move, comes first. */
export function withHunkRows(rows: readonly DiffRow[], hunks: readonly ShownHunk[]): DiffRow[] {
  const result: DiffRow[] = []
  for (const hunk of hunks) if (hunk.to <= hunk.from) result.push({ type: 'hunk', id: hunk.id, isFile: true })
  let open = hunks.filter(({ from, to }) => to > from)
  for (const row of rows) {
    if (!isLine(row) || row.at === undefined) {
      result.push(row)
      continue
    }
    const { at } = row
    const passed = open.filter(({ from }) => from <= at && row.type !== 'context')
    for (const { id, from } of passed) result.push({ type: 'hunk', id, isFile: from === 0 })
    open = open.filter((hunk) => !passed.includes(hunk))
    const own = hunks.find(({ from, to }) => at >= from && at < to)
    result.push(own === undefined ? row : { ...row, hunk: own.id })
  }
  // Line endings that change have no row of their own.
  for (const { id } of open) result.push({ type: 'hunk', id })
  return result
}

import { formatCount } from './show-name.ts'
import type { ToolContext } from '../tool.ts'
import { loadIgnoreRules } from './ignore-rules.ts'
import { countFolder, flattenFolder, formatFolder, listFolder } from './list-folder.ts'
import type { ReadOutput } from './read-result.ts'
import { isInside } from './resolve-path.ts'

export interface FolderOptions {
  depth: number
  limit: number
  /** Of a folder's own entries, the first to show, counted from 1. */
  offset?: number
  /** Also what version control ignores. */
  all?: boolean
}

/** A folder as a tree, for the model and for a card. */
export async function readFolder(
  folder: { real: string; shown: string; name: string },
  { depth, limit, offset, all = false }: FolderOptions,
  ctx: ToolContext,
): Promise<{ output: Extract<ReadOutput, { kind: 'folder' }>; text: string }> {
  const root = ctx.state.roots.find((one) => isInside(folder.real, one)) ?? folder.real
  const rules = all ? undefined : await loadIgnoreRules(folder.real, root)
  const skipped = (offset ?? 1) - 1
  const listed = await listFolder(folder.real, { depth, limit: skipped + limit, rules, signal: ctx.signal })
  if (listed.problem !== undefined) throw new Error(`${folder.shown} cannot be opened: ${listed.problem}.`)
  const total = listed.entries.length + listed.left
  listed.entries.splice(0, skipped)
  if (skipped > 0 && listed.entries.length === 0)
    throw new Error(
      `${folder.shown} has ${formatCount(total, 'entry', 'entries')}; there is none at offset ${skipped + 1}.`,
    )
  const { shown, left, ignored } = countFolder(listed)
  const notes = [
    left > 0 &&
      offset === undefined &&
      `${shown} shown, ${left} left out: list a folder of these alone, or give a higher limit.`,
    left > 0 &&
      offset !== undefined &&
      `Entries ${skipped + 1} to ${skipped + shown} of ${total}; continue with offset ${skipped + shown + 1}.`,
    ignored > 0 && `${ignored} ignored by version control ${ignored === 1 ? 'is' : 'are'} not shown.`,
  ].filter((note) => note !== false)
  const tree = listed.entries.length === 0 ? ['(nothing)'] : formatFolder(listed)
  const text = [`${folder.shown === '.' ? folder.real : folder.shown}/`, ...tree.map((line) => `  ${line}`)]
  if (notes.length > 0) text.push(`(${notes.join(' ')})`)
  return { output: { kind: 'folder', path: folder.name, entries: flattenFolder(listed), left }, text: text.join('\n') }
}

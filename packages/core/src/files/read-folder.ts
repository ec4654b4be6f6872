import type { ToolContext } from '../tool.ts'
import { loadIgnoreRules } from './ignore-rules.ts'
import { countFolder, flattenFolder, formatFolder, listFolder } from './list-folder.ts'
import type { ReadOutput } from './read-result.ts'
import { isInside } from './resolve-path.ts'

export interface FolderOptions {
  depth: number
  limit: number
  /** Also what version control ignores. */
  all?: boolean
}

/** A folder as a tree, for the model and for a card. */
export async function readFolder(
  folder: { real: string; shown: string; name: string },
  { depth, limit, all = false }: FolderOptions,
  ctx: ToolContext,
): Promise<{ output: Extract<ReadOutput, { kind: 'folder' }>; text: string }> {
  const root = ctx.state.roots.find((one) => isInside(folder.real, one)) ?? folder.real
  const rules = all ? undefined : await loadIgnoreRules(folder.real, root)
  const listed = await listFolder(folder.real, { depth, limit, rules, signal: ctx.signal })
  if (listed.problem !== undefined) throw new Error(`${folder.shown} cannot be opened: ${listed.problem}.`)
  const { shown, left, ignored } = countFolder(listed)
  const notes = [
    left > 0 && `${shown} shown, ${left} left out: list a folder of these alone, or give a higher limit.`,
    ignored > 0 && `${ignored} ignored by version control ${ignored === 1 ? 'is' : 'are'} not shown.`,
  ].filter((note) => note !== false)
  const tree = listed.entries.length === 0 ? ['(nothing)'] : formatFolder(listed)
  const text = [`${folder.shown === '.' ? folder.real : folder.shown}/`, ...tree.map((line) => `  ${line}`)]
  if (notes.length > 0) text.push(`(${notes.join(' ')})`)
  return { output: { kind: 'folder', path: folder.name, entries: flattenFolder(listed), left }, text: text.join('\n') }
}

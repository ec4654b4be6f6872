import { compileGlob, type GlobPattern } from './glob-pattern.ts'
import { ignoreOptions } from './is-ignored.ts'
import { runRipgrep, defaultArguments } from './ripgrep.ts'
import { unreadablePaths } from './search-error.ts'

export interface FileList {
  /** Relative to the folder, newest first, at most as many as were asked for. */
  files: string[]
  total: number
  /** Lines about folders that could not be looked into. */
  unread: string[]
}

/**
 * The files below a folder that a glob and the ignore rules leave, by the time of their last change. The glob is not
 * given to ripgrep as one: there it would bring back files that are ignored. As the definition of a file type it only
 * narrows, and the glob itself is tried here. Sorting is left to ripgrep, which looks at each file once anyway.
 */
export async function listFiles(folder: string, glob: string, limit: number, signal: AbortSignal): Promise<FileList> {
  const pattern = compileGlob(glob)
  const list: FileList = { files: [], total: 0, unread: [] }
  const take = (name: string): void => {
    const path = name.startsWith('./') ? name.slice(2) : name
    if (!pattern.matches(path)) return
    if (list.files.length < limit) list.files.push(path)
    list.total++
  }
  let rest = ''
  const end = await runRipgrep({
    args: [
      '--files',
      ...defaultArguments,
      ...(await ignoreOptions(folder)),
      '--sortr=modified',
      ...typeFilter([pattern]),
      '--',
      './',
    ],
    cwd: folder,
    signal,
    onText(text) {
      const names = (rest + text).split('\0')
      rest = names.pop() ?? ''
      for (const name of names) take(name)
      return true
    },
  })
  const unread = unreadablePaths(end.complaints)
  if (end.failed && unread === undefined) throw new Error(`The files could not be listed: ${end.complaints.trim()}`)
  return { ...list, unread: unread ?? [] }
}

/** Options by which only files of such names are looked at. They never bring back what ignore files leave out. */
export function typeFilter(patterns: readonly GlobPattern[]): string[] {
  if (patterns.length === 0 || patterns.some(({ nameGlob }) => nameGlob === undefined)) return []
  return [...patterns.map(({ nameGlob }) => `--type-add=wanted:${nameGlob}`), '--type=wanted']
}

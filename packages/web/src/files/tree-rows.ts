import type { FolderEntry, GitFile } from '@troupe/protocol'

/** A visible row of the tree. Its path is not stored: a hundred thousand of them would double the memory. */
export interface TreeRow extends FolderEntry {
  /** Path of the folder it is in. Empty for the top. */
  folder: string
  /** From 0. */
  depth: number
  /** From 1, within its folder. */
  position: number
}

export interface FolderState {
  rows: readonly TreeRow[]
  /** Entries on disk. More than `rows` while pages are on their way. */
  total: number
  problem?: string
}

export type Folders = ReadonlyMap<string, FolderState>

export function rowPath({ folder, name }: Pick<TreeRow, 'folder' | 'name'>): string {
  return joinPath(folder, name)
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** True for folders and links to folders. */
export function isFolder({ kind, target }: Pick<TreeRow, 'kind' | 'target'>): boolean {
  return kind === 'folder' || target === 'folder'
}

/** True for what a panel can show. */
export function isOpenable({ kind, target }: Pick<TreeRow, 'kind' | 'target'>): boolean {
  return kind === 'file' || target === 'file'
}

export function toRows(folder: string, entries: readonly FolderEntry[], from = 0): TreeRow[] {
  const depth = folder === '' ? 0 : folder.split('/').length
  return entries.map((entry, index) => ({ ...entry, folder, depth, position: from + index + 1 }))
}

/** All rows of open folders from top to bottom. Only references are copied. */
export function visibleRows(folders: Folders, expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  add('')
  return rows

  function add(folder: string): void {
    for (const row of folders.get(folder)?.rows ?? []) {
      rows.push(row)
      if (!isFolder(row)) continue
      const path = rowPath(row)
      if (expanded.has(path)) add(path)
    }
  }
}

/** The folders whose rows are visible: open, with all folders above open. */
export function shownFolders(expanded: ReadonlySet<string>): string[] {
  return ['', ...[...expanded].filter((path) => foldersAbove(path).every((above) => expanded.has(above)))]
}

export function foldersAbove(path: string): string[] {
  const above: string[] = []
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) above.push(folder)
  return above
}

/** Without paths inside others: what happens to a folder happens to its content. */
export function outermost(paths: Iterable<string>): string[] {
  const all = new Set(paths)
  return [...all].filter((path) => !foldersAbove(path).some((above) => all.has(above)))
}

/** Paths of the rows between two indexes, both included. */
export function pathsBetween(rows: readonly TreeRow[], one: number, other: number): string[] {
  return rows.slice(Math.max(0, Math.min(one, other)), Math.max(one, other) + 1).map(rowPath)
}

/** The first row after the active one whose name starts with the typed letters. Wraps around. */
export function typedAhead(rows: readonly TreeRow[], active: number, typed: string): number | undefined {
  const wanted = typed.toLocaleLowerCase()
  for (let step = typed.length > 1 ? 0 : 1; step <= rows.length; step++) {
    const index = (Math.max(0, active) + step) % rows.length
    if (rows[index]?.name.toLocaleLowerCase().startsWith(wanted) === true) return index
  }
  return undefined
}

export type FileMark = 'conflicted' | 'added' | 'untracked' | 'modified' | 'deleted' | 'renamed'

export interface FileMarks {
  files: ReadonlyMap<string, FileMark>
  /** Folders with a marked file somewhere below. */
  folders: ReadonlySet<string>
}

export const noMarks: FileMarks = { files: new Map(), folders: new Set() }

export function marksOf(files: readonly GitFile[]): FileMarks {
  const marked = new Map<string, FileMark>()
  const folders = new Set<string>()
  for (const file of files) {
    // An untracked folder is listed with a slash.
    const path = file.path.replace(/\/$/, '')
    marked.set(path, markOf(file))
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder)
  }
  return { files: marked, folders }
}

function markOf({ conflicted, staged, unstaged }: GitFile): FileMark {
  if (conflicted === true) return 'conflicted'
  const mark = unstaged ?? staged
  if (mark === 'retyped' || mark === undefined) return 'modified'
  return mark === 'copied' ? 'added' : mark
}

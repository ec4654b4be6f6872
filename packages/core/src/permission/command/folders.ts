import type { PossibleFolders, FolderChange } from './findings.ts'
import { fieldsOf, type ExpandedWord } from './piece.ts'
import { isWhole } from './read-word.ts'

export const stayIn = (folders: PossibleFolders): FolderChange => ({ ok: folders, fail: folders })
/** Where it goes cannot be told. */
export const unknownFolder: FolderChange = { ok: null, fail: null }

export function unionFolders(one: PossibleFolders, other: PossibleFolders): PossibleFolders {
  if (one === null || other === null) return null
  if (one === other) return one
  const all = [...new Set([...one, ...other])]
  return all.length > 8 ? null : all
}

/** Where `cd` leads. `words`: behind its name. */
export function changeFolder(words: readonly ExpandedWord[], cwds: PossibleFolders, home: string): FolderChange {
  const [folder = home, more] = fieldsOf(words).filter((word) => word !== '--')
  if (cwds === null || more !== undefined || !isWhole(folder) || folder.startsWith('-')) return unknownFolder
  const entered = cwds.map((cwd) => enterFolder(cwd, folder))
  return { ok: entered.some((cwd) => cwd.length > 4096) ? null : entered, fail: cwds }
}

/** `cd` goes by what is written: `a/..` is where one was, also when `a` is a link. */
function enterFolder(cwd: string, folder: string): string {
  const parts = folder.startsWith('/') ? [] : cwd.split('/').filter((part) => part !== '')
  for (const part of folder.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** Whether something in a text may move the shell that runs it. */
export function mayChangeFolder(text: string): boolean {
  return /\b(cd|pushd|popd|source|eval)\b|(^|[\s;&|])\.\s/.test(text)
}

import { readdirSync } from 'node:fs'
import { compileGlob } from '../search/glob-pattern.ts'

const maxFolderEntries = 5000

/** The names in a folder; none where it cannot be read, since no program can read it either. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, maxFolderEntries)
  } catch {
    return []
  }
}

/** The files that bash would put there now, or the pattern itself when there are none. Undefined when they are too many. */
export function expandGlob(pattern: string): string[] | undefined {
  let looked = 0
  let found = ['/']
  for (const segment of pattern.split('/').filter((part) => part !== '')) {
    if (!/[*?[]/.test(segment)) {
      found = found.map((folder) => (folder === '/' ? `/${segment}` : `${folder}/${segment}`))
      continue
    }
    const glob = compileGlob(segment)
    const next: string[] = []
    for (const folder of found) {
      const entries = entriesOf(folder)
      looked += entries.length
      if (looked >= maxFolderEntries) return undefined
      for (const name of entries) {
        if ((name.startsWith('.') && !segment.startsWith('.')) || !glob.matches(name)) continue
        next.push(folder === '/' ? `/${name}` : `${folder}/${name}`)
      }
    }
    found = next
  }
  return found.length === 0 ? [pattern] : found
}

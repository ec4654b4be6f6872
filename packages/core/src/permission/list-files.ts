import { type Dir, type Dirent, opendirSync, readdirSync } from 'node:fs'
import { compileGlob } from '../search/glob-pattern.ts'

export interface FolderTree {
  /** Files and folders, relative to the folder. */
  paths: readonly string[]
  cut: boolean
}

/** Limits a listing to about 30 ms. */
const maxTreeEntries = 4000

const noFolders: ReadonlySet<string> = new Set()
/** Cached for one tick of the event loop. Trying out rules decides many calls at once. */
const listingCache = new Map<string, FolderTree>()

/** Lists every file and folder below a folder, nearest first. Does not follow links. `skip`: folders not to enter. */
export function listBelow(folder: string, skip: ReadonlySet<string> = noFolders): FolderTree {
  const key = `${skip.size} ${folder}`
  const known = listingCache.get(key) ?? readTree(folder, skip)
  if (listingCache.size === 0) setImmediate(() => listingCache.clear())
  listingCache.set(key, known)
  return known
}

function readTree(folder: string, skip: ReadonlySet<string>): FolderTree {
  const paths: string[] = []
  const open = ['']
  for (let at = 0; at < open.length; at++) {
    const above = open[at]!
    for (const entry of entriesIn(above === '' ? folder : `${folder}/${above}`)) {
      if (paths.length >= maxTreeEntries) return { paths, cut: true }
      const name = above === '' ? entry.name : `${above}/${entry.name}`
      paths.push(name)
      if (entry.isDirectory() && !skip.has(entry.name)) open.push(name)
    }
  }
  return { paths, cut: false }
}

/** Yields nothing for an unreadable folder, since no program can read it either. */
function* entriesIn(folder: string): Generator<Dirent> {
  let open: Dir | undefined
  try {
    open = opendirSync(folder)
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) yield entry
  } catch {
    return
  } finally {
    open?.closeSync()
  }
}

const maxFolderEntries = 5000

/** Returns nothing for an unreadable folder, since no program can read it either. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, maxFolderEntries)
  } catch {
    return []
  }
}

/**
 * Expands a glob as bash would now. Returns the pattern itself if nothing matches, or undefined if there are too many
 * matches.
 */
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

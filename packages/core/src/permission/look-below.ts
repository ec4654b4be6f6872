import { type Dir, type Dirent, opendirSync } from 'node:fs'

/** What lies below a folder. */
export interface FolderTree {
  /** From the folder on, those of folders included. */
  paths: readonly string[]
  /** There is more. */
  cut: boolean
}

/** Looking takes 30 ms at most. */
const maxTreeEntries = 4000

const noFolders: ReadonlySet<string> = new Set()
/** For as long as nothing else happens in this process: many calls are judged at once when rules are tried. */
const listingCache = new Map<string, FolderTree>()

/** Every file and folder below a folder, nearest first; links are named and not followed. `skip`: folders that are not entered. */
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

/** None where it cannot be read, since no program can read it either. */
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

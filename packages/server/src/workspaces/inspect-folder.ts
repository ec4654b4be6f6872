import { accessSync, type BigIntStats, constants, type Dirent, opendirSync, realpathSync, statSync } from 'node:fs'
import { access, opendir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'

/** The file calls on folders of the user. Each may hang, for example on a network mount. */
export interface FileCalls {
  stat(file: string): Promise<BigIntStats>
  realpath(file: string): Promise<string>
  /** Throws unless the folder can be listed and entered. */
  enter(folder: string): Promise<void>
  /** Returns at most this many entries, in the order of the file system. */
  list(folder: string, most: number): Promise<Dirent[]>
}

const mayEnter = constants.R_OK | constants.X_OK

/** On the thread pool of the process. */
export const asyncFiles: FileCalls = {
  stat: (file) => stat(file, { bigint: true }),
  realpath: (file) => realpath(file),
  enter: (folder) => access(folder, mayEnter),
  async list(folder, most) {
    const entries: Dirent[] = []
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (entries.length >= most) break
      entries.push(entry)
    }
    return entries
  },
}

/** Blocks its thread, and only that: in a worker, `asyncFiles` would still use the thread pool of the process. */
export const syncFiles: FileCalls = {
  stat: async (file) => statSync(file, { bigint: true }),
  realpath: async (file) => realpathSync(file),
  enter: async (folder) => accessSync(folder, mayEnter),
  async list(folder, most) {
    const entries: Dirent[] = []
    const opened = opendirSync(folder, { bufferSize: 256 })
    try {
      for (let entry = opened.readSync(); entry !== null && entries.length < most; entry = opened.readSync())
        entries.push(entry)
    } finally {
      opened.closeSync()
    }
    return entries
  },
}

/** True for `SlowFolder`, and for a network drive that reports a timeout itself. */
export function isSlow(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ETIMEDOUT'
}

export type FolderState = 'ok' | 'missing' | 'unreadable' | 'slow'

export interface FolderFacts {
  state: Exclude<FolderState, 'slow'>
  /** The path without links. */
  real?: string
  /** See docs/decisions/020-trust-belongs-to-a-folder.md. */
  identity?: string
}

export async function inspectFolder(files: FileCalls, folder: string): Promise<FolderFacts> {
  try {
    const found = await files.stat(folder)
    if (!found.isDirectory()) return { state: 'missing' }
    const facts = { real: await files.realpath(folder), identity: await identityOf(files, folder, found) }
    await files.enter(folder)
    return { ...facts, state: 'ok' }
  } catch (error) {
    if (isSlow(error)) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    return { state: ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL'].includes(code) ? 'missing' : 'unreadable' }
  }
}

/**
 * The inode and the time of creation: a new folder may get the inode of a deleted one, but not its time. A file system
 * without that time counts with the inode of the repository instead.
 */
async function identityOf(files: FileCalls, folder: string, { ino, birthtimeNs }: BigIntStats): Promise<string> {
  if (birthtimeNs > 0n) return `${ino}:${birthtimeNs}`
  const git = await files.stat(path.join(folder, '.git')).catch(() => undefined)
  return `${ino}:git:${git?.ino ?? ''}`
}

export interface FolderEntry {
  name: string
  path: string
  /** True if it is the root of a git repository. */
  git: boolean
}

/** Lists the folders inside a folder that begin with a text, ignoring case. Hidden ones only if the text is hidden. */
export async function listFolders(
  files: FileCalls,
  { folder, prefix, most }: { folder: string; prefix: string; most: number },
): Promise<{ entries: FolderEntry[]; isCut: boolean }> {
  const found = await files.list(folder, maxScanned + 1)
  const wanted = prefix.toLowerCase()
  const named = found
    .slice(0, maxScanned)
    .filter(({ name }) => name.toLowerCase().startsWith(wanted) && (!name.startsWith('.') || wanted.startsWith('.')))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const entries: FolderEntry[] = []
  for (const entry of named) {
    if (entries.length > most) break
    const at = path.join(folder, entry.name)
    if (entry.isSymbolicLink() && !(await isFolder(files, at))) continue
    entries.push({ name: entry.name, path: at, git: await exists(files, path.join(at, '.git')) })
  }
  return { entries: entries.slice(0, most), isCut: entries.length > most || found.length > maxScanned }
}

/** More entries than this are not read, so a folder with millions of files costs as much as one with thousands. */
const maxScanned = 5000

function isFolder(files: FileCalls, file: string): Promise<boolean> {
  return files.stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

function exists(files: FileCalls, file: string): Promise<boolean> {
  return files.stat(file).then(
    () => true,
    () => false,
  )
}

import { type Dirent, lstatSync, readFileSync, type Stats } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { NamedError, newId, type TrashedEntry } from '@troupe/protocol'
import { z } from 'zod'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { attempt } from './file-operations.ts'
import { fileExists, type FileRoot, notFound, resolveEntry } from './workspace-path.ts'

const keepMs = 30 * 24 * 60 * 60 * 1000
/** Limits of a copy to another file system. A rename has none. */
const maxCopied = { entries: 50_000, bytes: 2 * 1024 * 1024 * 1024 }

const noteSchema = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  deletedAt: z.number(),
})

export interface Trash {
  put(root: FileRoot, given: string): Promise<TrashedEntry>
  deleteForever(root: FileRoot, given: string): Promise<void>
  list(root: FileRoot): Promise<TrashedEntry[]>
  restore(root: FileRoot, id: string): Promise<{ path: string }>
  /** Deletes one entry, or all. Returns their number. */
  empty(root: FileRoot, id?: string): Promise<number>
}

/**
 * Keeps deleted files in the home, one folder per entry: `note.json` and the entry itself as `content`. Its name in the
 * workspace may be anything, so it is only in the note.
 */
export function openTrash(folder: string): Trash {
  const folderOf = ({ workspaceId }: FileRoot): string => path.join(folder, workspaceId)

  return {
    async put(root, given) {
      const entry = resolveEntry(root, given)
      const { stats } = entry
      if (stats === undefined) throw notFound(given)
      const trashed: TrashedEntry = { id: newId(), path: entry.relative, kind: kindOf(stats), deletedAt: Date.now() }
      const place = path.join(folderOf(root), trashed.id)
      const { id: _, ...note } = trashed
      await mkdir(place, { recursive: true, mode: 0o700 })
      try {
        // The note first: content without one could not be restored.
        await writeFile(path.join(place, 'note.json'), JSON.stringify(note), { mode: 0o600, flush: true })
        await attempt(entry.relative, () => move(entry.path, path.join(place, 'content')))
      } catch (error) {
        if ((error as Error).name !== partlyTrashed) await rm(place, { recursive: true, force: true })
        throw error
      }
      await prune(root)
      return trashed
    },
    async deleteForever(root, given) {
      const entry = resolveEntry(root, given)
      if (entry.stats === undefined) throw notFound(given)
      await attempt(entry.relative, () => rm(entry.path, { recursive: true }))
    },
    list,
    async restore(root, id) {
      const trashed = (await list(root)).find((one) => one.id === id)
      if (trashed === undefined) throw trashNotFound()
      const entry = resolveEntry(root, trashed.path)
      if (entry.stats !== undefined) throw fileExists(trashed.path)
      const place = path.join(folderOf(root), id)
      await attempt(trashed.path, async () => {
        await mkdir(path.dirname(entry.path), { recursive: true })
        await move(path.join(place, 'content'), entry.path)
      })
      await rm(place, { recursive: true, force: true })
      return { path: trashed.path }
    },
    async empty(root, id) {
      const all = await list(root)
      const gone = id === undefined ? all : all.filter((one) => one.id === id)
      if (id !== undefined && gone.length === 0) throw trashNotFound()
      for (const one of gone) await rm(path.join(folderOf(root), one.id), { recursive: true, force: true })
      return gone.length
    },
  }

  async function list(root: FileRoot): Promise<TrashedEntry[]> {
    const names = await readdir(folderOf(root)).catch(() => [])
    const found = names.flatMap((id) => readNote(path.join(folderOf(root), id), id))
    return found.toSorted((a, b) => b.deletedAt - a.deletedAt)
  }

  async function prune(root: FileRoot): Promise<void> {
    const oldest = Date.now() - keepMs
    for (const { id, deletedAt } of await list(root))
      if (deletedAt < oldest) await rm(path.join(folderOf(root), id), { recursive: true, force: true })
  }
}

function readNote(place: string, id: string): TrashedEntry[] {
  try {
    lstatSync(path.join(place, 'content'))
    return [{ id, ...noteSchema.parse(JSON.parse(readFileSync(path.join(place, 'note.json'), 'utf8'))) }]
  } catch {
    // The process ended while it was moved, so the entry is still where it was.
    return []
  }
}

/** Renames, or copies and deletes between file systems. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
  }
  await refuseLarge(from)
  try {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      errorOnExist: true,
      force: false,
      preserveTimestamps: true,
    })
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw error
  }
  // From here on the copy may be the only one, so it stays, whatever is left behind.
  await rm(from, { recursive: true }).catch((error: unknown) => {
    throw new NamedError(
      partlyTrashed,
      'A copy is in the trash, but not everything could be deleted. Check the permissions of the folder.',
      { status: 409, cause: error },
    )
  })
}

const partlyTrashed = 'PartlyTrashed'

async function refuseLarge(from: string): Promise<void> {
  const waiting = [from]
  let [entries, bytes] = [0, 0]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const stats = lstatSync(at)
    entries++
    bytes += stats.isFile() ? stats.size : 0
    if (entries > maxCopied.entries || bytes > maxCopied.bytes)
      throw new NamedError('TooLargeForTrash', 'This is too large for the trash, which is on another disk.', {
        status: 413,
      })
    if (stats.isDirectory()) {
      const inside: Dirent[] = await readdir(at, { withFileTypes: true })
      for (const { name } of inside) waiting.push(path.join(at, name))
    }
    await yieldToEventLoop()
  }
}

function kindOf(stats: Stats): TrashedEntry['kind'] {
  if (stats.isDirectory()) return 'folder'
  if (stats.isSymbolicLink()) return 'link'
  return stats.isFile() ? 'file' : 'other'
}

function trashNotFound(): NamedError {
  return new NamedError('TrashNotFound', 'This is no longer in the trash.', { status: 404 })
}

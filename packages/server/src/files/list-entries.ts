import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { compareNames, isInside, loadIgnoreRules } from '@troupe/core'
import { type FolderEntry, NamedError } from '@troupe/protocol'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { type FileRoot, notFound, resolveTarget } from './workspace-path.ts'

interface ListedFolder {
  path: string
  entries: FolderEntry[]
  total: number
}

/** Names sorted for the pages of one folder, while it does not change. */
interface SortedFolder {
  modified: bigint | number
  names: Dirent[]
}

/** Entries kept sorted, over all folders. More than the largest folder that is worth scrolling. */
const maxKept = 400_000
/** A first page this small is picked without sorting everything. */
const smallPage = 500
const defaultLimit = 1000
const statsAtOnce = 64
const sliceLength = 4096

/** Lists folders one level at a time. Never blocks the event loop for a folder of 100,000 files. */
export function createFolderLister(): {
  list(root: FileRoot, given: string, page: { offset?: number; limit?: number }): Promise<ListedFolder>
} {
  const kept = new Map<string, SortedFolder>()

  return {
    async list(root, given, { offset = 0, limit = defaultLimit }) {
      const folder = resolveTarget(root, given, 'read')
      if (folder.stats === undefined) throw notFound(given)
      if (!folder.stats.isDirectory())
        throw new NamedError('FileNotFound', 'This is a file, not a folder.', { status: 404, data: { path: given } })
      const { names, total } = await page(folder.path, folder.stats, offset, limit)
      const rules = await loadIgnoreRules(folder.path, root.path)
      const entries: FolderEntry[] = []
      // Asking the system about each of thousands of files would slow down everything else.
      const withSize = limit <= defaultLimit
      for (let at = 0; at < names.length; at += statsAtOnce) {
        const some = names.slice(at, at + statsAtOnce)
        entries.push(
          ...(await Promise.all(some.map((entry) => describe(entry, { folder: folder.path, root, rules, withSize })))),
        )
        await yieldToEventLoop()
      }
      return { path: folder.relative, entries, total }
    },
  }

  async function page(folder: string, stats: Stats, offset: number, limit: number) {
    const known = kept.get(folder)
    if (known !== undefined && known.modified === stats.mtimeMs)
      return { names: known.names.slice(offset, offset + limit), total: known.names.length }
    const all = (await readNames(folder)).filter(({ name }) => !isHidden(name))
    if (offset === 0 && limit <= smallPage && all.length > limit * 4)
      return { names: await firstOf(all, limit), total: all.length }
    const names = await sortInSlices(all)
    keep(folder, { modified: stats.mtimeMs, names })
    return { names: names.slice(offset, offset + limit), total: names.length }
  }

  function keep(folder: string, sorted: SortedFolder): void {
    kept.delete(folder)
    if (sorted.names.length < smallPage || sorted.names.length > maxKept) return
    kept.set(folder, sorted)
    let count = [...kept.values()].reduce((sum, { names }) => sum + names.length, 0)
    for (const [oldest, { names }] of kept) {
      if (count <= maxKept) break
      kept.delete(oldest)
      count -= names.length
    }
  }
}

async function readNames(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const isDenied = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
    const text = isDenied ? 'The system does not allow opening this folder.' : 'This folder can no longer be opened.'
    throw new NamedError('FileNotFound', text, { status: 404, cause: error })
  }
}

/** Git's own folder, and files that our tools are about to move into place. */
export function isHidden(name: string): boolean {
  return name === '.git' || /^\.troupe-[\w-]{12}\.tmp$/.test(name)
}

interface EntryPlace {
  folder: string
  root: FileRoot
  rules: Awaited<ReturnType<typeof loadIgnoreRules>>
  withSize: boolean
}

async function describe(entry: Dirent, { folder, root, rules, withSize }: EntryPlace): Promise<FolderEntry> {
  const { name } = entry
  const isIgnored = rules.ignores(name, entry.isDirectory())
  const ignored = isIgnored ? { ignored: true as const } : {}
  if (entry.isDirectory()) return { name, kind: 'folder', ...ignored }
  const at = path.join(folder, name)
  if (entry.isSymbolicLink()) return { name, kind: 'link', target: await targetOf(at, root), ...ignored }
  if (!entry.isFile()) return { name, kind: 'other', ...ignored }
  if (!withSize) return { name, kind: 'file', ...ignored }
  const size = await lstat(at).then(
    (stats) => stats.size,
    () => undefined,
  )
  return { name, kind: 'file', ...(size !== undefined && { size }), ...ignored }
}

async function targetOf(link: string, root: FileRoot): Promise<FolderEntry['target']> {
  try {
    const real = await realpath(link)
    if (!isInside(real, root.path) || isInside(real, root.home)) return 'outside'
    return (await stat(real)).isDirectory() ? 'folder' : 'file'
  } catch {
    // A dangling link, or a loop of links.
    return 'missing'
  }
}

/** The first entries in order. Compares most names only with the last one that is still in, instead of sorting all. */
async function firstOf(all: readonly Dirent[], limit: number): Promise<Dirent[]> {
  let best: Dirent[] = []
  let bound: Dirent | undefined
  for (const [index, entry] of all.entries()) {
    if (bound === undefined || compareEntries(entry, bound) < 0) best.push(entry)
    if (best.length >= limit * 2) {
      best = best.toSorted(compareEntries).slice(0, limit)
      bound = best.at(-1)
    }
    if (index % sliceLength === 0) await yieldToEventLoop()
  }
  return best.toSorted(compareEntries).slice(0, limit)
}

/** A merge sort that yields to the event loop between slices. */
export async function sortInSlices(all: readonly Dirent[]): Promise<Dirent[]> {
  let runs: Dirent[][] = []
  for (let at = 0; at < all.length; at += sliceLength) {
    runs.push(all.slice(at, at + sliceLength).toSorted(compareEntries))
    await yieldToEventLoop()
  }
  while (runs.length > 1) {
    const next: Dirent[][] = []
    for (let at = 0; at < runs.length; at += 2) next.push(await merge(runs[at] ?? [], runs[at + 1] ?? []))
    runs = next
  }
  return runs[0] ?? []
}

async function merge(one: readonly Dirent[], other: readonly Dirent[]): Promise<Dirent[]> {
  const merged: Dirent[] = []
  let [a, b] = [0, 0]
  while (a < one.length && b < other.length) {
    const [left, right] = [one[a] as Dirent, other[b] as Dirent]
    if (compareEntries(left, right) <= 0) {
      merged.push(left)
      a++
    } else {
      merged.push(right)
      b++
    }
    if (merged.length % sliceLength === 0) await yieldToEventLoop()
  }
  for (; a < one.length; a++) merged.push(one[a] as Dirent)
  for (; b < other.length; b++) merged.push(other[b] as Dirent)
  return merged
}

function compareEntries(a: Dirent, b: Dirent): number {
  return Number(b.isDirectory()) - Number(a.isDirectory()) || compareNames(a.name, b.name)
}

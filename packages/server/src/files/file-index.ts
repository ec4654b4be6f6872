import { indexPaths, listFiles, type PathIndex, startRanking } from '@troupe/core'
import { yieldToEventLoop } from '../util/concurrency.ts'
import type { FileRoot } from './workspace-path.ts'

interface FoundPaths {
  matches: { path: string; kind: 'file' | 'folder' }[]
  total: number
  isFresh: boolean
  isCut: boolean
}

interface FolderIndex {
  index: PathIndex
  isCut: boolean
  readAt: number
}

/** Searched files per workspace. */
const maxFiles = 300_000
/** The list is as new as the last change that a person can have noticed. */
const freshMs = 2000
/** An older list is not worth an answer. */
const staleMs = 60_000
const maxWorkspaces = 4
const warmAfterMs = 500
const listTimeoutMs = 30_000
const stepLength = 8192

export interface FileIndex {
  search(root: FileRoot, query: string, limit: number): Promise<FoundPaths>
  /** Reads the list before it is asked for. */
  warm(root: FileRoot): void
  /** Something changed, so the next search reads the list again. */
  touch(workspaceId: string): void
}

/**
 * Searches the names of all files that are not ignored. The list stays in memory: an answer from a list that is a little
 * old comes at once, and the list is read again behind it.
 */
export function createFileIndex(): FileIndex {
  const known = new Map<string, FolderIndex>()
  const reading = new Map<string, Promise<FolderIndex>>()

  return {
    async search(root, query, limit) {
      const now = known.get(root.workspaceId)
      const age = now === undefined ? Infinity : Date.now() - now.readAt
      if (age > freshMs) read(root).catch(() => undefined)
      const used = now === undefined || age > staleMs ? await read(root) : now
      const { paths, total } = await rank(query, used.index, limit)
      const matches = paths.map((path) =>
        path.endsWith('/') ? { path: path.slice(0, -1), kind: 'folder' as const } : { path, kind: 'file' as const },
      )
      return { matches, total, isFresh: !reading.has(root.workspaceId), isCut: used.isCut }
    },
    warm(root) {
      // The folder that is shown comes first.
      const start = (): void => {
        if (!known.has(root.workspaceId)) read(root).catch(() => undefined)
      }
      setTimeout(start, warmAfterMs).unref()
    },
    touch(workspaceId) {
      const now = known.get(workspaceId)
      if (now !== undefined) now.readAt = Math.min(now.readAt, Date.now() - freshMs - 1)
    },
  }

  function read(root: FileRoot): Promise<FolderIndex> {
    const { workspaceId } = root
    const running = reading.get(workspaceId)
    if (running !== undefined) return running
    const started = readIndex(root.path)
      .then((made) => {
        known.delete(workspaceId)
        known.set(workspaceId, made)
        const [oldest] = known.keys()
        if (known.size > maxWorkspaces && oldest !== undefined) known.delete(oldest)
        return made
      })
      .finally(() => reading.delete(workspaceId))
    reading.set(workspaceId, started)
    return started
  }
}

async function readIndex(folder: string): Promise<FolderIndex> {
  const readAt = Date.now()
  const { files, total } = await listFiles(folder, '**', maxFiles, AbortSignal.timeout(listTimeoutMs))
  const index = indexPaths(files)
  // The first ranking does work that the person would wait for.
  await rank('', index, 1)
  return { index, isCut: total > files.length, readAt }
}

async function rank(query: string, index: PathIndex, limit: number): Promise<{ paths: string[]; total: number }> {
  const ranking = startRanking(query, index, limit)
  while (!ranking.next(stepLength)) await yieldToEventLoop()
  return ranking.result()
}

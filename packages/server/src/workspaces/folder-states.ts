import path from 'node:path'
import { withinTime } from '../util/concurrency.ts'
import type { FileGuard } from './file-guard.ts'
import type { FolderLanes } from './folder-lanes.ts'
import { type FolderState, isSlow } from './inspect-folder.ts'

export interface SeenFolder {
  state: FolderState
  /** The path without links. */
  real?: string
  identity?: string
}

/** What is known about folders of the user. No call waits for a folder longer than the limit of the lanes. */
export interface FolderStates {
  /** Looks at the folder, unless it just did so. `waitMs`: answers `slow` if it takes longer. */
  check(folder: string, waitMs?: number): Promise<SeenFolder>
  /** Looks at the folder now. */
  recheck(folder: string): Promise<SeenFolder>
  /** False while the folder does not answer. Code that reads files synchronously must not touch it then. */
  responds(folder: string): boolean
  close(): void
}

/** Not used for a mount that can hang: what was seen is a reason to read its files synchronously. */
const freshMs = 250
/** Folders in use are looked at this often, so that one that begins to hang is known before it is read. */
const watchEveryMs = 1000
const watchForMs = 30_000
const maxKnown = 2000

interface Known extends SeenFolder {
  at: number
  usedAt: number
}

export function createFolderStates(
  lanes: Pick<FolderLanes, 'inspect'>,
  {
    now = Date.now,
    mounts = new Set(),
    hanging = new Set(),
  }: { now?: () => number } & Partial<Pick<FileGuard, 'mounts' | 'hanging'>> = {},
): FolderStates {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<SeenFolder>>()
  let timer: NodeJS.Timeout | undefined

  return {
    async check(folder, waitMs) {
      const seen = known.get(folder)
      if (seen !== undefined) seen.usedAt = now()
      watch()
      if (seen !== undefined && now() - seen.at < freshMs && !isIn(mounts, folder)) return seen
      const found = look(folder)
      if (waitMs === undefined) return found
      const { value, isLate } = await withinTime(found, waitMs)
      return isLate ? { state: 'slow' } : value
    },
    recheck: (folder) => look(folder),
    responds(folder) {
      if (isIn(hanging, folder)) return false
      for (let at = path.resolve(folder); ; at = path.dirname(at)) {
        if (known.get(at)?.state === 'slow') return false
        if (at === path.dirname(at)) return true
      }
    },
    close: () => clearInterval(timer),
  }

  /** Requests for the same folder share one look. */
  function look(folder: string): Promise<SeenFolder> {
    const running = looking.get(folder)
    if (running !== undefined) return running
    const started = inspect(folder).finally(() => looking.delete(folder))
    looking.set(folder, started)
    return started
  }

  async function inspect(folder: string): Promise<SeenFolder> {
    const before = known.get(folder)
    let seen: SeenFolder
    try {
      seen = await lanes.inspect(folder)
    } catch (error) {
      if (!isSlow(error)) throw error
      seen = { state: 'slow', real: before?.real, identity: before?.identity }
    }
    if (known.size >= maxKnown) known.delete(known.keys().next().value as string)
    known.set(folder, { ...seen, at: now(), usedAt: before?.usedAt ?? now() })
    return seen
  }

  function watch(): void {
    if (timer !== undefined) return
    timer = setInterval(() => {
      const used = [...known].filter(([, { usedAt }]) => now() - usedAt < watchForMs)
      for (const [folder] of used) look(folder).catch(() => undefined)
      if (used.length > 0) return
      clearInterval(timer)
      timer = undefined
    }, watchEveryMs).unref()
  }
}

function isIn(folders: ReadonlySet<string>, file: string): boolean {
  if (folders.size === 0) return false
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    if (folders.has(at)) return true
    if (at === path.dirname(at)) return false
  }
}

/** Reads files of a folder. Returns what was read last if the folder hangs, also if it begins to hang meanwhile. */
export function readResponding<T>(responds: () => boolean, read: () => T, last: () => T): T {
  if (!responds()) return last()
  try {
    const value = read()
    if (responds()) return value
  } catch (error) {
    if (!isSlow(error)) throw error
  }
  return last()
}

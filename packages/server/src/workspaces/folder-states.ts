import path from 'node:path'
import { withinTime } from '../util/concurrency.ts'
import { type FolderLanes, SlowFolder } from './folder-lanes.ts'
import type { FolderState } from './inspect-folder.ts'

export interface SeenFolder {
  state: FolderState
  /** The path without links. */
  real?: string
  identity?: string
}

/** What is known about folders of the user. No call waits for a folder longer than the limit of the lanes. */
export interface FolderStates {
  /** Looks at the folder, unless it did so within the last seconds. `waitMs`: answers `slow` if it takes longer. */
  check(folder: string, waitMs?: number): Promise<SeenFolder>
  /** Looks at the folder now. */
  recheck(folder: string): Promise<SeenFolder>
  /** False while the folder does not answer. Code that reads files synchronously must not touch it then. */
  responds(folder: string): boolean
  close(): void
}

/** Short, because what was seen is a reason to read files synchronously. */
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
  { now = Date.now }: { now?: () => number } = {},
): FolderStates {
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<SeenFolder>>()
  let timer: NodeJS.Timeout | undefined

  return {
    async check(folder, waitMs) {
      const seen = known.get(folder)
      if (seen !== undefined) seen.usedAt = now()
      watch()
      if (seen !== undefined && now() - seen.at < freshMs) return seen
      const found = look(folder)
      if (waitMs === undefined) return found
      const { value, isLate } = await withinTime(found, waitMs)
      return isLate ? { state: 'slow' } : value
    },
    recheck: (folder) => look(folder),
    responds(folder) {
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
      if (!(error instanceof SlowFolder)) throw error
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

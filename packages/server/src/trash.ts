import { errorInfo, type Store } from '@troupe/core'
import type { RunManager } from './live.ts'
import type { Logger } from './logger.ts'

const trashTtlMs = 30 * 24 * 60 * 60 * 1000
const cleanupIntervalMs = 60 * 60 * 1000

export interface TrashOptions {
  store: Store
  live: RunManager
  onDelete: (sessionId: string) => Promise<void>
  logger: Logger
  clock?: () => number
}

/**
 * Deletes for good what has lain in the trash for 30 days, and messages that can no longer be brought back: now, and once
 * an hour. Returns how to end it.
 */
export function scheduleTrashCleanup(options: TrashOptions): () => Promise<void> {
  let work = emptyOldTrash(options)
  const timer = setInterval(() => void (work = work.then(() => emptyOldTrash(options))), cleanupIntervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await work
  }
}

/** One that cannot be deleted is logged and tried again the next time. */
export async function emptyOldTrash({ store, live, onDelete, logger, clock = Date.now }: TrashOptions): Promise<void> {
  const tell = (message: string, error: unknown): void =>
    logger({ level: 'error', message, error: errorInfo(error).message })
  try {
    await store.messages.purge()
    for (const id of await store.sessions.trashedBefore(clock() - trashTtlMs)) {
      try {
        // Deleting takes time, in which somebody may have taken it out again.
        if (((await store.sessions.get(id))?.trashedAt ?? null) === null) continue
        await live.stop(id)
        await onDelete(id)
        await store.sessions.delete(id)
      } catch (error) {
        tell(`the session ${id} could not be deleted from the trash`, error)
      }
    }
  } catch (error) {
    tell('the trash could not be looked at', error)
  }
}

import type { Frame, Store } from '@troupe/core'

/** What a journal asks of a log: hand over what is not yet written, and hear how the writing went. */
export interface Journalled {
  take(): Frame | undefined
  written(): void
  notWritten(): void
}

/**
 * Writes the frames of all live runs: within 250 ms after a chunk, or at once where a run must not go on before. One
 * commit serves every log that has something to write, so results that end in one tick share it.
 */
export interface Journal {
  touch(log: Journalled): void
  /** Resolves when everything that any log holds now is durable. */
  commit(): Promise<void>
  close(): Promise<void>
}

export function createJournal(store: Pick<Store, 'frames'>, options: { intervalMs?: number; onError?(error: unknown): void } = {}): Journal {
  const { intervalMs = 250, onError = () => undefined } = options
  const dirty = new Set<Journalled>()
  let timer: NodeJS.Timeout | undefined
  let next: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()

  return {
    touch(log) {
      dirty.add(log)
      timer ??= setTimeout(onTimer, intervalMs)
    },
    commit,
    async close() {
      clearTimeout(timer)
      await commit()
      clearTimeout(timer)
    },
  }

  function onTimer(): void {
    timer = undefined
    commit().catch(onError)
  }

  function commit(): Promise<void> {
    next ??= (async () => {
      await writing
      await new Promise((resolve) => setImmediate(resolve))
      next = undefined
      const done = write()
      writing = done.catch(() => undefined)
      return done
    })()
    return next
  }

  async function write(): Promise<void> {
    const logs = [...dirty]
    dirty.clear()
    const frames = logs.flatMap((log) => log.take() ?? [])
    if (frames.length === 0) return
    try {
      await store.frames.append(frames)
    } catch (error) {
      for (const log of logs) {
        log.notWritten()
        dirty.add(log)
      }
      timer ??= setTimeout(onTimer, intervalMs)
      throw error
    }
    for (const log of logs) log.written()
  }
}

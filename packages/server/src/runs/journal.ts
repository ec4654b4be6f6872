import type { Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'

/** What a journal asks of a log: hand over what is not yet written, and hear how the writing went. */
export interface Journalled {
  take: () => Frame[]
  written: () => void
  notWritten: (error: unknown) => void
}

/**
 * Writes the frames of all live runs: 250 ms after a chunk, together; or at once where a run must not go on before, and
 * then only what such runs have, since every frame has its price. Logs that ask in one tick share a commit.
 */
export interface Journal {
  /** The log has something to write. */
  touch: (log: Journalled) => void
  /** Resolves when all that this log, or without one any log, holds now was written or could not be; each hears which. */
  commit: (log?: Journalled) => Promise<void>
  /** What this log still holds is not tried again. */
  drop: (log: Journalled) => void
  close: () => Promise<void>
}

const maxPauseMs = 5000

export function createJournal(
  store: Pick<Store, 'frames'>,
  options: { intervalMs?: number; onError?: (error: unknown) => void } = {},
): Journal {
  const { intervalMs = 250, onError = () => undefined } = options
  const dirty = new Set<Journalled>()
  const asked = new Set<Journalled>()
  let pauseMs = intervalMs
  let timer: NodeJS.Timeout | undefined
  let next: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()

  return {
    touch(log) {
      dirty.add(log)
      timer ??= setTimeout(onTimer, pauseMs)
    },
    drop: (log) => void dirty.delete(log),
    commit,
    async close() {
      await commit()
      clearTimeout(timer)
    },
  }

  function onTimer(): void {
    timer = undefined
    void commit()
  }

  /** Whoever asks before the writing begins is served by the same commit. */
  function commit(log?: Journalled): Promise<void> {
    for (const one of log === undefined ? dirty : [log]) asked.add(one)
    next ??= (async () => {
      await writing
      await new Promise((resolve) => setImmediate(resolve))
      next = undefined
      writing = write()
      await writing
    })()
    return next
  }

  async function write(): Promise<void> {
    const logs = [...asked].filter((log) => dirty.delete(log))
    asked.clear()
    const taken = logs.map((log) => ({ log, frames: log.take() })).filter(({ frames }) => frames.length > 0)
    if (taken.length === 0) return
    const failed = await append(taken)
    pauseMs = failed.length === 0 ? intervalMs : Math.min(2 * pauseMs, maxPauseMs)
    for (const { log, error } of failed) {
      dirty.add(log)
      log.notWritten(error)
    }
    if (failed.length > 0) timer ??= setTimeout(onTimer, pauseMs)
  }

  /** One log whose frames cannot be written does not keep the others from it. */
  async function append(taken: { log: Journalled; frames: Frame[] }[]): Promise<{ log: Journalled; error: unknown }[]> {
    try {
      await store.frames.append(taken.flatMap(({ frames }) => frames))
      for (const { log } of taken) log.written()
      return []
    } catch (error) {
      if (taken.length === 1) {
        onError(error)
        return taken.map(({ log }) => ({ log, error }))
      }
      const failed: { log: Journalled; error: unknown }[] = []
      for (const one of taken) failed.push(...(await append([one])))
      return failed
    }
  }
}

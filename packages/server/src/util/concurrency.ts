import { Worker } from 'node:worker_threads'

/** Serializes work with the same key. Different keys run concurrently. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

const sliceMs = 10
let start: number | undefined

/**
 * Call it between steps of long work. After a time slice it yields to the event loop, which `await` alone does not. All
 * work on this thread shares the slice.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (start === undefined) {
    start = performance.now()
    setImmediate(resetSlice)
  } else if (performance.now() - start >= sliceMs) {
    return new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  return undefined
}

function resetSlice(): void {
  start = undefined
}

/**
 * Runs a file in a worker thread, for long synchronous work. It gets `data` as `workerData` and posts one message, the
 * result. The file may not import packages, since threads do not see the bundled program.
 */
export function runInWorker<T>(file: URL, data: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: data, env: {} })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('The thread ended without a result.')))
  })
}

const tickMs = 20

/**
 * Waits for a result, but not longer than `ms`. Counts only time in which the event loop runs: after a pause, results
 * that are already there would come after the timer.
 */
export async function withinTime<T>(
  work: Promise<T>,
  ms: number,
): Promise<{ isLate: false; value: T } | { isLate: true; value?: undefined }> {
  work.catch(() => undefined)
  const late = Promise.withResolvers<{ isLate: true }>()
  let ticks = Math.ceil(ms / tickMs)
  const timer = setInterval(() => {
    if (--ticks <= 0) late.resolve({ isLate: true })
  }, tickMs)
  try {
    return await Promise.race([work.then((value) => ({ isLate: false as const, value })), late.promise])
  } finally {
    clearInterval(timer)
  }
}

/** Serialises what a whole tree of agents writes. */
export interface WriteLock {
  /** Waits for its turn. Rejects with the signal's reason when that comes first, and then never begins. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createWriteLock(): WriteLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(work, signal) {
      const before = last
      const mine = Promise.withResolvers<void>()
      last = before.then(() => mine.promise)
      try {
        await waitForTurn(before, signal)
        return await work()
      } finally {
        mine.resolve()
      }
    },
  }
}

async function waitForTurn(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([before, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

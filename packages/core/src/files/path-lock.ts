/** The last in line for each path. Files are shared by all sessions of a process, so the lines are too. */
const lockQueues = new Map<string, Promise<void>>()

/** Runs while nobody else of this process changes one of these files. Real paths; taken in order, so nobody waits in a circle. */
export async function withPathLocks<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const releases: (() => void)[] = []
  try {
    for (const path of [...new Set(paths)].toSorted()) releases.push(await acquireLock(path))
    return await work()
  } finally {
    for (const release of releases) release()
  }
}

async function acquireLock(path: string): Promise<() => void> {
  const before = lockQueues.get(path)
  const { promise, resolve } = Promise.withResolvers<void>()
  lockQueues.set(path, promise)
  await before
  return () => {
    if (lockQueues.get(path) === promise) lockQueues.delete(path)
    resolve()
  }
}

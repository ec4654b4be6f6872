/** The last in line for each path. Files are shared by all sessions of a process, so the lines are too. */
const lines = new Map<string, Promise<void>>()

/** Runs while nobody else of this process changes one of these files. Real paths; taken in order, so nobody waits in a circle. */
export async function withPaths<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const releases: (() => void)[] = []
  try {
    for (const path of [...new Set(paths)].toSorted()) releases.push(await take(path))
    return await work()
  } finally {
    for (const release of releases) release()
  }
}

async function take(path: string): Promise<() => void> {
  const before = lines.get(path)
  const { promise, resolve } = Promise.withResolvers<void>()
  lines.set(path, promise)
  await before
  return () => {
    if (lines.get(path) === promise) lines.delete(path)
    resolve()
  }
}

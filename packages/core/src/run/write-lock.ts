/** Serialises what a whole tree of agents writes. */
export interface WriteLock {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createWriteLock(): WriteLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
    },
  }
}

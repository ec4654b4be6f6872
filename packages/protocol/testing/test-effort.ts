/** `TROUPE_TEST_FULL=1` runs every case of long suites. Without it, they run a sample of each kind. */
export const full = process.env['TROUPE_TEST_FULL'] === '1'

/** Number of runs of a property: a quarter of `count`, and forty times as many with `TROUPE_TEST_FULL=1`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: full ? count * 10 : Math.ceil(count / 4) }
}

/** Every `step`-th of the cases, starting with the one at `from`, and all of them with `TROUPE_TEST_FULL=1`. */
export function sampled<T>(cases: readonly T[], step: number, from = 0): T[] {
  return cases.filter((_, index) => full || index % step === from % step)
}

/** Time limit of a property in milliseconds. */
export const patience = full ? 300_000 : 30_000

/**
 * Measures the cost of a piece of work: the minimum CPU time of several runs, in milliseconds. Excludes other processes,
 * the threads that compile and collect garbage and, through repetition, compilation.
 */
export async function cost(work: () => unknown, tries = 5): Promise<number> {
  let least = Infinity
  for (let i = 0; i < tries; i++) {
    const spentMs = cpuClock()
    await work()
    least = Math.min(least, spentMs())
  }
  return least
}

/** Counts the CPU time of this thread from now on, in milliseconds. Other programs on the machine do not change it. */
export function cpuClock(): () => number {
  const begun = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1000
  }
}

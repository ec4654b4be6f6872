const full = process.env['TROUPE_TEST_FULL'] === '1'

/** `TROUPE_TEST_FULL=1` runs every property ten times as often. */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: full ? usual * 10 : usual }
}

/** How long a property may take, in milliseconds. */
export const patience = full ? 300_000 : 30_000

/**
 * What a piece of work costs: the least CPU time of a few tries, in milliseconds. Other processes do not count, and
 * the first tries pay for the compiler.
 */
export async function cost(work: () => unknown, tries = 5): Promise<number> {
  let least = Infinity
  for (let i = 0; i < tries; i++) {
    const begun = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(begun)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

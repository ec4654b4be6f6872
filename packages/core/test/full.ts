const full = process.env['TROUPE_TEST_FULL'] === '1'

/** `TROUPE_TEST_FULL=1` runs every property ten times as often. */
export function runs(usual: number): { numRuns: number } {
  return { numRuns: full ? usual * 10 : usual }
}

/** How long a property may take, in milliseconds. */
export const patience = full ? 300_000 : 30_000

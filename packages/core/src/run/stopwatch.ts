/** Counts the time in which a run works: it stands still while only a person can move the run on. */
export interface Stopwatch {
  elapsedMs(): number
  pause(): void
  resume(): void
}

/** `before`: what earlier processes had counted. */
export function createStopwatch(before = 0): Stopwatch {
  let counted = before
  let begun: number | undefined = performance.now()
  return {
    elapsedMs: () => Math.round(counted + (begun === undefined ? 0 : performance.now() - begun)),
    pause() {
      if (begun === undefined) return
      counted += performance.now() - begun
      begun = undefined
    },
    resume() {
      begun ??= performance.now()
    },
  }
}

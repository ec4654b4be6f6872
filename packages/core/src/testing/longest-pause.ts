/**
 * What tests allow a pause to be. The promise is 100 ms on a quiet machine; on one that shares its cores with other work
 * the same code takes up to twice the CPU time, and what grows with the square of its input takes seconds.
 */
export const pauseLimitMs = 250

/**
 * Runs the work and measures the longest stretch in which nothing else could run on this thread, in milliseconds of the
 * thread's own CPU time. Unlike a clock, CPU time does not grow when the machine is busy with other processes.
 */
export async function longestPause<T>(work: () => Promise<T> | T): Promise<{ result: T; pauseMs: number }> {
  let longest = 0
  let last = cpuTime()
  const note = (): void => {
    const now = cpuTime()
    longest = Math.max(longest, now - last)
    last = now
  }
  // A timer fires once per turn of the event loop at most: what lies between two calls is one stretch.
  const timer = setInterval(note, 1)
  try {
    const result = await work()
    note()
    return { result, pauseMs: longest / 1000 }
  } finally {
    clearInterval(timer)
  }
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

import { setImmediate } from 'node:timers/promises'

/** Lets the rest of the process go on during long work. */
export interface Yielder {
  /** The work has held the process for long enough. */
  due(): boolean
  /** Waits until everything else that is ready has had its turn. */
  take(): Promise<void>
}

export function createYielder(ms = 15): Yielder {
  let since = performance.now()
  return {
    due: () => performance.now() - since >= ms,
    async take() {
      await setImmediate()
      since = performance.now()
    },
  }
}

import type { QueueStorage } from './queue.ts'

/** For tests: what tabs of one browser share, without a browser. Each call of `tab` is another tab. */
export function memoryQueueStorage(now: () => number = () => 1000): QueueStorage & { tab: () => QueueStorage } {
  let text: string | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const listeners = new Set<() => void>()
  const tab = (): QueueStorage => {
    let own: (() => void) | undefined
    return {
      now,
      read: () => text,
      write(next) {
        text = next
        for (const listener of listeners) if (listener !== own) listener()
      },
      watch(listener) {
        own = listener
        listeners.add(listener)
      },
      exclusive(work) {
        const done = turn.then(() => work())
        turn = done.catch(() => undefined)
        return done
      },
    }
  }
  return { ...tab(), tab }
}

import { type Chunk, joinDeltas, type LogItem, NamedError, type RunLog } from '@troupe/protocol'
import type { Answer, Ask, Asks } from '../tool/asks.ts'

/** An inbox for programs without a store: `answer` is called for each ask, and its promise is waited for. */
export function createMemoryAsks(answer: (ask: Ask) => Answer | Promise<Answer>): Asks {
  return {
    async ask(ask, signal, onOpen) {
      signal.throwIfAborted()
      const { promise, reject } = Promise.withResolvers<never>()
      const onAbort = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', onAbort, { once: true })
      const { timeoutMs } = ask
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => reject(askTimeout(ask)), Math.min(timeoutMs, longestAskMs))
      onOpen?.()
      try {
        return await Promise.race([answer(ask), promise])
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
    },
  }
}

/** What whoever waits is told when the time that an ask has is over. */
export function askTimeout({ id, timeoutMs = 0 }: Ask): NamedError {
  const text = `Nobody answered within ${timeoutMs / 1000} s. The page that was asked may be closed.`
  return new NamedError('AskTimeout', text, { status: 408, data: { askId: id, timeoutMs } })
}

/** Longer is for ever: timers of more than 24 days fire at once. */
export const longestAskMs = 2 ** 31 - 1

export interface MemoryLog extends RunLog {
  /** Everything appended and noted, neighbouring deltas joined. */
  readonly items: LogItem[]
  subscribe(listener: (chunk: Chunk) => void): () => void
}

/** A run log for programs that keep no history: nothing survives the process. */
export function createMemoryLog(): MemoryLog {
  const items: LogItem[] = []
  const listeners = new Set<(chunk: Chunk) => void>()
  return {
    items,
    append(chunk) {
      const last = items.at(-1)
      const joined = last === undefined ? undefined : joinDeltas(last, chunk)
      if (joined === undefined) items.push(chunk)
      else items[items.length - 1] = joined
      for (const listener of listeners) listener(chunk)
    },
    note(note) {
      items.push(note)
    },
    sync: () => Promise.resolve(),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

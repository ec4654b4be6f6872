import { type Chunk, joinDeltas, type LogItem, NamedError, type RunLog } from '@troupe/protocol'
import type { Answer, Ask, Asks } from '../tool/asks.ts'

/** Inbox for programs without a store: calls `answer` for each ask and awaits its promise. */
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

export function askTimeout({ id, timeoutMs = 0 }: Ask): NamedError {
  const text = `Nobody answered within ${timeoutMs / 1000} s. The page may be closed.`
  return new NamedError('AskTimeout', text, { status: 408, data: { askId: id, timeoutMs } })
}

/** Longer limits mean no limit, because timers over 24 days fire immediately. */
export const longestAskMs = 2 ** 31 - 1

export interface MemoryLog extends RunLog {
  /** All appended and noted items, with adjacent deltas joined. */
  readonly items: LogItem[]
  subscribe(listener: (chunk: Chunk) => void): () => void
}

/** Run log for programs that keep no history. Nothing survives the process. */
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

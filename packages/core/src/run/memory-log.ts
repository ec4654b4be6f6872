import { joinDeltas } from '../protocol/number.ts'
import type { Chunk } from '../protocol/message.ts'
import type { LogItem, RunLog } from '../run-log.ts'

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

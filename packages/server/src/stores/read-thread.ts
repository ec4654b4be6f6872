import { Worker } from 'node:worker_threads'
import type { CompiledQuery } from 'kysely'
import type { ReadAnswer, ReadRequest } from './read-thread-worker.ts'

/** A thread is given back when nobody has asked it anything for so long. */
const idleMs = 60_000

/** Reads what is committed, away from this thread: for queries that may look at every row. */
export interface ReadThread {
  all<T>(query: CompiledQuery): Promise<T[]>
  close(): Promise<void>
}

export function createReadThread(database: string): ReadThread {
  const waiting = new Map<number, { resolve(rows: unknown[]): void; reject(error: Error): void }>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  return {
    all: (query) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= open()
        worker.ref()
        const id = ++lastId
        waiting.set(id, { resolve: resolve as (rows: unknown[]) => void, reject })
        const { sql, parameters } = query
        worker.postMessage({ id, sql, parameters: parameters as ReadRequest['parameters'] } satisfies ReadRequest)
      }),
    close: async () => {
      clearTimeout(idle)
      await worker?.terminate()
    },
  }

  function open(): Worker {
    const opened = new Worker(new URL('./read-thread-worker.ts', import.meta.url), { workerData: database, env: {} })
    opened.on('message', (answer: ReadAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(new Error(answer.error))
      if (waiting.size > 0) return
      opened.unref()
      idle = setTimeout(() => void opened.terminate(), idleMs)
      idle.unref()
    })
    opened.on('error', (error) => end(error as Error))
    opened.on('exit', () => end(new Error('The search was ended.')))
    return opened

    function end(error: Error): void {
      if (worker === opened) worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
  }
}

import { writeSync } from 'node:fs'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

export interface ProcessGuard {
  /** Counts the time of the CPU from now on. Ends the process when it exceeds the limit. */
  start(ms: number): void
  stop(): void
}

/**
 * Ends this process when a document needs more memory or work than any should. Code that unpacks a hostile file never
 * returns to the event loop, and the limit of the heap does not count buffers, so a thread watches. It counts the time of
 * the CPU, because a busy machine reads every document slowly.
 */
export function guardProcess(): ProcessGuard {
  const worker = new Worker(import.meta.filename)
  worker.unref()
  return { start: (ms) => worker.postMessage(ms), stop: () => worker.postMessage(0) }
}

/** The parent finds these words in the output for errors. */
export const guardWords = { memory: 'guard: out of memory', time: 'guard: too much work' }

const mostBytes = 1.5 * 2 ** 30
const everyMs = 100

if (!isMainThread) watch()

function watch(): void {
  let limit = 0
  let start = process.cpuUsage()
  parentPort?.on('message', (ms: number) => {
    limit = ms
    start = process.cpuUsage()
  })
  setInterval(() => {
    const { user, system } = process.cpuUsage(start)
    if (process.memoryUsage.rss() > mostBytes) end(guardWords.memory)
    if (limit > 0 && (user + system) / 1000 > limit) end(guardWords.time)
  }, everyMs)
}

function end(words: string): void {
  writeSync(2, words)
  process.kill(process.pid, 'SIGKILL')
}

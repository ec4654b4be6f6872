import { writeSync } from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'

/**
 * Ends this process when it needs more memory than any document should. The limit of the heap does not count buffers,
 * and code that unpacks a hostile file never returns to its event loop, so a thread watches.
 */
export function guardMemory(): void {
  new Worker(import.meta.filename, { stdout: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref()
}

const mostBytes = 1.5 * 2 ** 30
const everyMs = 100

if (!isMainThread)
  setInterval(() => {
    if (process.memoryUsage.rss() < mostBytes) return
    // The parent recognizes these words.
    writeSync(2, 'out of memory: too large')
    process.kill(process.pid, 'SIGKILL')
  }, everyMs)

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { workerData } from 'node:worker_threads'
import type { FileThreadData } from '../workspaces/file-thread.ts'

/** A thread of the file guard on a drive that hangs while there is a file with its name and `.hangs`. */
const marker = `${(workerData as FileThreadData).mount}.hangs`
const { existsSync } = fs
const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>
const clock = new Int32Array(new SharedArrayBuffer(4))
for (const name of Object.keys(calls).filter((one) => one.endsWith('Sync'))) {
  const call = calls[name]!
  const hanging = (...args: unknown[]): unknown => {
    while (existsSync(marker)) Atomics.wait(clock, 0, 0, 10)
    return call(...args)
  }
  calls[name] = Object.assign(hanging, call)
}
syncBuiltinESMExports()
await import('../workspaces/file-worker.ts')

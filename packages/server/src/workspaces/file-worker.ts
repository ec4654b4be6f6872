import { Buffer } from 'node:buffer'
import fs from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { ended, givenUp, packed } from './file-answers.ts'
import type { FileAnswer, FileRequest, FileThreadData } from './file-thread.ts'

/** Makes file calls one after the other. A call that hangs keeps this thread, and only this one. */
const { answers, state } = workerData as FileThreadData

parentPort?.on('message', (request: FileRequest) => {
  const { id, isCheck } = request
  if (isCheck) {
    answerOf(request)
    parentPort?.postMessage(id)
    return
  }
  answers.postMessage(answerOf(request))
  Atomics.store(state, ended, id)
  Atomics.notify(state, ended)
  if (Atomics.load(state, givenUp) >= id) parentPort?.postMessage(id)
})
Atomics.store(state, ended, 0)
Atomics.notify(state, ended)

function answerOf({ id, name, args }: FileRequest): FileAnswer {
  try {
    return { id, value: packed(run(name, args)) }
  } catch (error) {
    const { message, stack, name: kind, ...more } = error as Error
    return { id, error: { message, name: kind, ...more } }
  }
}

function run(name: string, args: unknown[]): unknown {
  // A buffer to fill is copied on its way here, so its content is the result.
  if (name === 'readSync') {
    const [fd, length, position] = args as [number, number, number | bigint | null]
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, position))
  }
  if (name === 'realpathSync.native') return fs.realpathSync.native(...(args as [string]))
  return (fs as unknown as Record<string, (...given: unknown[]) => unknown>)[name]?.(...args)
}

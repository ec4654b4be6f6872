import { Worker } from 'node:worker_threads'

/**
 * Runs a file in a thread of its own, for synchronous work that takes long: it gets `data` as `workerData` and posts one
 * message, which is the result. The file may import no package, for threads do not see the bundled program.
 */
export function runInWorker<T>(file: URL, data: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: data, env: {} })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('The thread ended without a result.')))
  })
}

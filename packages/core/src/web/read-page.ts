import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Page, PageRequest } from './convert-page.ts'
import { stripTags } from './strip-tags.ts'

const maxLength = 1_500_000
const maxMs = 10_000

/**
 * Turns a page into Markdown or text, away from the main thread and within limits: ten megabytes, or tags nested
 * deeply enough, would keep a parser busy for minutes. What cannot be converted comes as bare text, with a note.
 */
export async function readPage(
  request: PageRequest,
  signal: AbortSignal,
  { length = maxLength, ms = maxMs }: { length?: number; ms?: number } = {},
): Promise<Page & { note?: string }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  const bare = request.html.length > length
  try {
    const page = await convertInWorker({ ...request, bare }, limit)
    return bare ? { ...page, note: 'The page is very long: its text was taken as it comes.' } : page
  } catch {
    signal.throwIfAborted()
    const text = stripTags(request.html)
    return { title: '', text, note: 'The page could not be parsed: its text was taken as it comes.' }
  }
}

function convertInWorker(request: PageRequest, signal: AbortSignal): Promise<Page> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const file = path.join(import.meta.dirname, `page-worker${path.extname(import.meta.filename)}`)
    const worker = new Worker(file, { workerData: request, env: {}, resourceLimits: { maxOldGenerationSizeMb: 512 } })
    const stop = (): void => {
      void worker.terminate()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    worker.once('message', (page: Page) => {
      resolve(page)
      void worker.terminate()
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('The page was not converted.'))
    })
  })
}

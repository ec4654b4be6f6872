import { type ChildProcess, fork } from 'node:child_process'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { DocumentFile, DocumentFormat, DocumentPart, Documents, DocumentText, OfficeEdit } from '@troupe/core'
import type { ProcessRequest, ProcessResponse } from './reader-process.ts'
import { guardWords } from './process-guard.ts'
import { scanMark } from './reader.ts'
import { findRecognizer, type Recognizer } from './recognize.ts'

export interface DocumentsOptions {
  /** Maximum number of documents read at once. */
  processes?: number
  /** Time limit for one read or edit. */
  ms?: number
  /** Limit of CPU time for reading a small file. Each megabyte adds a second. Only hostile files need so much. */
  workMs?: number
  /** An idle process waits this long for the next document. */
  idleMs?: number
  /** Heap limit of a process. */
  heapMb?: number
  /** In team mode: the user that may read a file. Its process runs as this user. */
  userOf?: ((file: string) => { uid: number; gid: number } | undefined) | undefined
  /** Default: that of this process. Tells where text recognition is installed. */
  env?: NodeJS.ProcessEnv
}

/** A long-lived reader keeps memory of the documents it has read, so it is replaced after this many reads. */
const mostReads = 200
/** A reader that needs more memory than this is not kept. */
const mostIdleBytes = 290 * 2 ** 20

/**
 * Reads documents in child processes. A parser that hangs, crashes or runs out of memory ends its process and fails its
 * one read with the cause.
 */
export function openDocuments(options: DocumentsOptions = {}): Documents & { close(): void } {
  const {
    processes = 2,
    ms = 60_000,
    workMs = 8000,
    idleMs = 30_000,
    heapMb = 384,
    env = process.env,
    userOf,
  } = options
  const idle: Reader[] = []
  const waiting: (() => void)[] = []
  const all = new Set<Reader>()
  let busy = 0
  let closed = false
  let recognizer: Promise<Recognizer | undefined> | undefined

  async function call(request: WithoutLimit<ProcessRequest>, signal?: AbortSignal): Promise<ProcessResponse> {
    signal?.throwIfAborted()
    if (busy >= processes) await turn(signal)
    else busy++
    try {
      if (closed) throw new Error('The server is closing.')
      const user = userOf?.(request.file.path)
      const reader = takeIdle(request.file.path, user?.gid) ?? start(user)
      const response = await reader.call({ ...request, ms, workMs: await workLimit(request) }, ms, signal)
      keep(reader, response.memory ?? 0)
      return request.kind === 'read' ? await recognizeScans(response, signal) : response
    } finally {
      const next = waiting.shift()
      if (next === undefined) busy--
      else next()
    }
  }

  async function workLimit({ kind, file }: WithoutLimit<ProcessRequest>): Promise<number> {
    if (kind !== 'read' && kind !== 'identify') return ms
    const size = await stat(file.path).then(
      (stats) => stats.size,
      () => 0,
    )
    return Math.min(ms, Math.round(workMs + size / 1000))
  }

  /** Prefers the process that has the document open. Folders with different members share none. */
  function takeIdle(file: string, gid: number | undefined): Reader | undefined {
    const same = idle.filter((reader) => reader.gid === gid)
    const found = same.findLast((reader) => reader.file === file) ?? same.at(-1)
    if (found !== undefined) idle.splice(idle.indexOf(found), 1)
    return found
  }

  function findRecognition(): Promise<Recognizer | undefined> {
    return (recognizer ??= findRecognizer(env))
  }

  /** Replaces the marks of pictures by their text, one picture after the other. */
  async function recognizeScans(response: ProcessResponse, signal?: AbortSignal): Promise<ProcessResponse> {
    const { text, scans = [] } = response
    const found = scans.length === 0 ? undefined : await findRecognition()
    if (text === undefined || found === undefined) return response
    let words = text.text
    for (const [index, scan] of scans.entries()) {
      signal?.throwIfAborted()
      const read = await found.recognize(scan, signal)
      words = words.replace(scanMark(index), () => (read === '' ? '(no text recognized)' : read))
    }
    const note = `Text recognition: Tesseract, languages ${found.languages.join(', ')}.`
    return { ...response, text: { ...text, text: words, notes: [...(text.notes ?? []), note] } }
  }

  /** Resolves when another read hands over its place. */
  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', leave, { once: true })
      waiting.push(go)
    })
  }

  function start(user: ReaderUser | undefined): Reader {
    const reader = startReader(heapMb, user, () => {
      all.delete(reader)
      const at = idle.indexOf(reader)
      if (at !== -1) idle.splice(at, 1)
    })
    all.add(reader)
    return reader
  }

  function keep(reader: Reader, memory: number): void {
    if (closed || reader.reads >= mostReads || memory > mostIdleBytes || reader.hasEnded()) reader.kill()
    else {
      reader.rest(idleMs)
      idle.push(reader)
    }
  }

  return {
    async identify(file: DocumentFile, signal): Promise<DocumentFormat | undefined> {
      const { format } = await call({ kind: 'identify', file }, signal)
      return format
    },
    async read(file: DocumentFile, part: DocumentPart, signal): Promise<DocumentText> {
      const { text, error } = await call(
        { kind: 'read', file, part, canRecognize: (await findRecognition()) !== undefined },
        signal,
      )
      if (text === undefined) throw new Error(error ?? 'The document could not be read.')
      return text
    },
    async edit(request, signal): Promise<OfficeEdit> {
      const { edit, error } = await call({ kind: 'edit', file: request.file ?? { path: '' }, request }, signal)
      if (edit === undefined) throw new Error(error ?? 'The file could not be edited.')
      return edit
    },
    async html(request, signal): Promise<string> {
      const file = 'file' in request ? request.file : { path: '' }
      const { html, error } = await call({ kind: 'html', file, request }, signal)
      if (html === undefined) throw new Error(error ?? 'The document could not be read.')
      return html
    },
    close() {
      closed = true
      for (const reader of all) reader.kill()
    },
  }
}

type WithoutLimit<Request> = Request extends unknown ? Omit<Request, 'ms' | 'workMs'> : never

interface ReaderUser {
  uid: number
  gid: number
}

interface Reader {
  gid: number | undefined
  reads: number
  /** The last document. */
  file: string
  call(request: ProcessRequest, ms: number, signal?: AbortSignal): Promise<ProcessResponse>
  rest(ms: number): void
  hasEnded(): boolean
  kill(): void
}

function startReader(heapMb: number, user: ReaderUser | undefined, onEnd: () => void): Reader {
  const child = startProcess(heapMb, user)
  let ended = false
  let errors = ''
  let timer: NodeJS.Timeout | undefined
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-2000)
  })
  child.on('error', () => undefined)
  child.once('exit', () => {
    ended = true
    clearTimeout(timer)
    onEnd()
  })
  const reader: Reader = {
    gid: user?.gid,
    reads: 0,
    file: '',
    hasEnded: () => ended,
    kill: () => void child.kill('SIGKILL'),
    rest(ms) {
      unref(child)
      timer = setTimeout(() => child.kill('SIGKILL'), ms)
      timer.unref()
    },
    call(request, ms, signal) {
      clearTimeout(timer)
      child.ref()
      child.channel?.ref()
      reader.reads++
      reader.file = request.file.path
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => fail(tooLong(ms)), ms)
        const stop = (): void => fail(signal?.reason as Error)
        const exit = (): void => fail(new Error(endReason(errors)))
        const settle = (): void => {
          clearTimeout(limit)
          signal?.removeEventListener('abort', stop)
          child.off('message', finish).off('exit', exit)
        }
        const finish = (response: unknown): void => {
          settle()
          resolve(response as ProcessResponse)
        }
        const fail = (error: Error): void => {
          settle()
          child.kill('SIGKILL')
          reject(error)
        }
        signal?.addEventListener('abort', stop, { once: true })
        child.once('message', finish).once('exit', exit)
        if (ended) exit()
        else child.send(request)
      })
    },
  }
  return reader
}

/** The process gets no environment, and cannot write files or start programs. */
function startProcess(heapMb: number, user: ReaderUser | undefined): ChildProcess {
  const file = path.join(import.meta.dirname, `reader-process${path.extname(import.meta.filename)}`)
  return fork(file, {
    ...(user !== undefined && { uid: user.uid, gid: user.gid, cwd: '/' }),
    env: {},
    execArgv: [
      '--permission',
      '--allow-fs-read=*',
      '--allow-addons',
      '--allow-worker',
      '--allow-wasi',
      '--disable-warning=SecurityWarning',
      '--disable-warning=ExperimentalWarning',
      '--conditions=troupe-source',
      `--max-old-space-size=${heapMb}`,
      // Pages make much garbage. A smaller young generation costs time, a larger one memory.
      '--min-semi-space-size=16',
      '--max-semi-space-size=32',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

function unref(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

function tooLong(ms: number): Error {
  return new Error(`Reading the document took longer than ${Math.round(ms / 1000)} seconds and was stopped. ${tryLess}`)
}

function endReason(errors: string): string {
  if (errors.includes(guardWords.time)) return `Reading the document took too long and was stopped. ${tryLess}`
  if (/out of memory|Allocation failed/i.test(errors))
    return `The document needs more memory than is allowed. ${tryLess}`
  return 'The program that reads documents stopped unexpectedly. The file may be damaged.'
}

const tryLess =
  'Read other or fewer pages, or a smaller range. If it stops again, the file is damaged or made to exhaust the computer.'

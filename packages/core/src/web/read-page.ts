import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { fileKind, headLength } from '../files/file-kind.ts'
import type { Page, PageRequest } from './page-worker.ts'
import { stripTags } from './strip-tags.ts'

const maxLength = 1_500_000
const maxMs = 10_000

/**
 * Converts a page to Markdown or text, off the main thread and within limits. Ten megabytes, or deeply nested tags,
 * would occupy a parser for minutes. Pages that cannot be converted are returned as bare text with a note.
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
    return bare ? { ...page, note: 'The page is very long, so its text was extracted without formatting.' } : page
  } catch {
    signal.throwIfAborted()
    const text = stripTags(request.html)
    return { title: '', text, note: 'The page could not be parsed, so its text was extracted without formatting.' }
  }
}

function convertInWorker(request: PageRequest, signal: AbortSignal): Promise<Page> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const worker = takeWorker()
    const release = (): void => {
      signal.removeEventListener('abort', stop)
      worker.off('message', finish).off('error', fail).off('exit', exit)
    }
    const finish = (page: Page): void => {
      release()
      keepWorker(worker)
      resolve(page)
    }
    const fail = (error: Error): void => {
      release()
      void worker.terminate()
      reject(error)
    }
    const stop = (): void => fail(signal.reason as Error)
    const exit = (): void => fail(new Error('The page was not converted.'))
    signal.addEventListener('abort', stop, { once: true })
    worker.once('message', finish).once('error', fail).once('exit', exit)
    worker.postMessage(request)
  })
}

/** Loading the parser takes longer than converting most pages, so one thread waits for the next page for a while. */
const idleMs = 10_000
let idle: { worker: Worker; timer: NodeJS.Timeout } | undefined

function takeWorker(): Worker {
  if (idle !== undefined) {
    const { worker, timer } = idle
    idle = undefined
    clearTimeout(timer)
    worker.ref()
    return worker
  }
  const file = path.join(import.meta.dirname, `page-worker${path.extname(import.meta.filename)}`)
  const worker = new Worker(file, { env: {}, resourceLimits: { maxOldGenerationSizeMb: 512 } })
  // An error without a listener would end our process.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    if (idle?.worker === worker) idle = undefined
  })
  return worker
}

function keepWorker(worker: Worker): void {
  if (idle !== undefined) {
    void worker.terminate()
    return
  }
  worker.unref()
  const timer = setTimeout(() => {
    idle = undefined
    void worker.terminate()
  }, idleMs)
  timer.unref()
  idle = { worker, timer }
}

export type PageKind = { kind: 'html' } | { kind: 'text' } | { kind: 'binary'; name: string }

/** Determines the kind by content type, or by the first bytes if the type is not specific. */
export function pageKind(contentType: string, body: Uint8Array): PageKind {
  const type = mediaTypeOf(contentType)
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'html' }
  if (textTypes.test(type)) return { kind: 'text' }
  const found = fileKind(body.subarray(0, headLength))
  if (found.kind === 'text' && (type === '' || type === 'application/octet-stream')) {
    return looksLikeHtml(body) ? { kind: 'html' } : { kind: 'text' }
  }
  const seen = found.kind === 'binary' ? found.name : found.kind === 'text' ? '' : found.mediaType
  return { kind: 'binary', name: [type, seen].filter(Boolean).join(', ') }
}

export function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

const textTypes =
  /^text\/|[/+](json|xml|yaml|toml)$|^application\/(javascript|ecmascript|x-javascript|typescript|x-yaml|x-ndjson|jsonl|graphql|sql|x-sh|x-httpd-php|rtf)$/

function looksLikeHtml(body: Uint8Array): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(new TextDecoder('latin1').decode(body.subarray(0, 512)))
}

/** Decodes a page with the encoding from its byte order mark, its header or its first lines. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const label =
    markedEncoding(body) ?? charsetFromHeader(contentType) ?? declaredEncoding(body) ?? guessedEncoding(body)
  return decoder(label, body).decode(body)
}

function markedEncoding(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  return undefined
}

function charsetFromHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
}

/** Searches the first bytes for `<meta charset>`, `<meta http-equiv>` or the XML declaration. */
function declaredEncoding(body: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(body.subarray(0, 4096))
  const label =
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}encoding=["']([\w-]+)/.exec(head)?.[1]
  // A declaration readable as single bytes rules out UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** Follows browsers for pages without a declaration. */
function guessedEncoding(body: Uint8Array): string {
  return isUtf8(body) ? 'utf-8' : 'windows-1252'
}

/** Ignores unknown encoding names. */
function decoder(label: string, body: Uint8Array): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder(guessedEncoding(body))
  }
}

import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { errorInfo, type ImportLine, type ImportProgress, NamedError, transferEndpoints } from '@troupe/protocol'
import { type BlobScopes, personIdOf } from '../http/principal.ts'
import { type Ctx, implement, type Route } from '../http/route.ts'
import { saveBody } from '../http/save-body.ts'
import { findSession } from '../http/scope.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { exportHtml, exportPolicy } from './export/export-html.ts'
import { exportMarkdown } from './export/export-markdown.ts'
import { exportJson, type ExportOptions, type ExportSource, openExport } from './export/export-session.ts'
import { importFile } from './import/import-file.ts'

const formats: Record<
  'md' | 'json' | 'html',
  { type: string; write: (source: ExportSource, options: ExportOptions) => AsyncGenerator<string> }
> = {
  md: { type: 'text/markdown; charset=utf-8', write: exportMarkdown },
  json: { type: 'application/json', write: exportJson },
  html: { type: 'text/html; charset=utf-8', write: exportHtml },
}

/** Maximum upload size of an import. Uploads go to disk, never to memory. */
export const importBytes = 2 * 1024 * 1024 * 1024
const progressEveryMs = 200

export interface TransferOptions {
  store: SqlStore
  blobScopes: BlobScopes
  uploads: string
  redact: (text: string) => string
}

export function transferRoutes({ store, blobScopes, uploads, redact }: TransferOptions): Route[] {
  return implement(transferEndpoints, {
    'GET /ai/sessions/:id/export': async ({ params, query, workspaceId }, c) => {
      const { format = 'md', branch, lang, print } = query
      const session = await findSession(store, params.id, workspaceId)
      if (branch !== undefined && (await store.messages.get({ sessionId: session.id }, branch)) === undefined)
        throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
      const { type, write } = formats[format]
      const source = await openExport(session, { store, blobs: blobScopes.session(session.id), redact })
      const isPrinted = print !== undefined && format === 'html'
      const headers: Record<string, string> = {
        'content-type': type,
        'content-disposition': `${isPrinted ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(fileName(session.title))}.${format}`,
      }
      // Shown in an opaque origin: the text of a chat must not run in ours.
      if (isPrinted)
        headers['content-security-policy'] =
          `${exportPolicy}; sandbox allow-scripts allow-modals; frame-ancestors 'self'`
      if (c.req.method === 'HEAD') return c.body(null, 200, headers)
      return c.body(
        Readable.toWeb(
          Readable.from(readInChunks(write(source, { leaf: branch, language: lang, prints: isPrinted }))),
        ) as ReadableStream,
        200,
        headers,
      )
    },
    'POST /ai/sessions/import': async ({ principal, workspaceId }, c) => {
      const file = path.join(uploads, randomUUID())
      await mkdir(uploads, { recursive: true, mode: 0o700 })
      try {
        await saveUpload(c, file)
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
      const ended = new AbortController()
      const lines = importLines(file, {
        store,
        blobs: blobScopes.of(principal),
        attach: blobScopes.attach,
        ownerId: personIdOf(principal) ?? null,
        workspaceId,
        signal: ended.signal,
      })
      const body = Readable.from(lines)
      body.on('close', () => ended.abort(new Error('the reader has gone')))
      return c.body(Readable.toWeb(body) as ReadableStream, 200, { 'content-type': 'application/x-ndjson' })
    },
  })
}

/** Large enough to make the cost of a web stream negligible. */
async function* readInChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < 64 * 1024) continue
    await yieldToEventLoop()
    yield Buffer.from(piece)
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
}

async function saveUpload(c: Ctx, file: string): Promise<void> {
  const size = await saveBody(c, file, { maxBytes: importBytes, mode: 0o600, tooLarge })
  if (size === 0) throw new NamedError('BadRequest', 'The body is empty.')
}

async function* importLines(
  file: string,
  options: Omit<Parameters<typeof importFile>[1], 'onProgress'>,
): AsyncGenerator<Uint8Array> {
  let progress: ImportProgress | undefined
  let wake = (): void => undefined
  const done = importFile(file, { ...options, onProgress: (given) => void (progress = given) }).then(
    (report): ImportLine => ({ report }),
    (error: unknown): ImportLine => ({
      error: { name: 'ImportFailed', message: `Nothing could be imported: ${errorInfo(error).message}.` },
    }),
  )
  let result: ImportLine | undefined
  void done.then((given) => {
    result = given
    wake()
  })
  try {
    while (result === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, progressEveryMs)
      })
      if (result === undefined && progress !== undefined) yield jsonLine({ progress })
    }
    yield jsonLine(result)
  } finally {
    await done
    await rm(file, { force: true })
  }
}

function jsonLine(value: ImportLine): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function fileName(title: string): string {
  return (
    title
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^\.+/, '')
      .slice(0, 80) || 'session'
  )
}

function tooLarge(): NamedError {
  return new NamedError('BodyTooLarge', `The file is too large. The limit is ${importBytes / 1024 ** 3} GiB.`, {
    status: 413,
  })
}

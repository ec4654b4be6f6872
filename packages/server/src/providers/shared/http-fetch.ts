import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'

/**
 * A fetch for streamed answers. Runs on `node:http`: the web streams of `fetch` cost more CPU than a short answer
 * (decision 017). Takes a URL, plain headers and a text body, follows no redirects and fails with the errors of
 * `fetch`. The body of the response offers only the two ways of reading that our callers use.
 */
export async function httpFetch(...[input, init = {}]: Parameters<typeof fetch>): Promise<Response> {
  const signal = init.signal ?? undefined
  const url = typeof input === 'object' && 'url' in input ? input.url : input.toString()
  try {
    signal?.throwIfAborted()
    const incoming = await send(url, init).catch((error: unknown) => {
      if (isStale(error)) return send(url, init)
      throw error
    })
    const { statusCode: status = 0, statusMessage: statusText = '' } = incoming
    const headers = new Headers()
    for (let at = 0; at < incoming.rawHeaders.length; at += 2)
      headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!)
    const body = new HttpBody(decompressed(incoming), signal)
    return { ok: status >= 200 && status < 300, status, statusText, headers, body } as unknown as Response
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : new TypeError('fetch failed', { cause: error })
  }
}

function send(url: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      // A compressed stream is held back until a block is full.
      headers: { accept: '*/*', 'accept-encoding': 'identity', ...(headers as Record<string, string>) },
      signal: signal ?? undefined,
    })
    outgoing.once('response', resolve)
    outgoing.on('error', (error) => {
      reject(Object.assign(error, { isReused: outgoing.reusedSocket }))
    })
    outgoing.end(body)
  })
}

/** The server closed an idle connection just when it was used again. Asking twice does no harm: it only costs tokens. */
function isStale(error: unknown): boolean {
  const { code, isReused } = error as { code?: string; isReused?: boolean }
  return isReused === true && (code === 'ECONNRESET' || code === 'EPIPE')
}

function decompressed(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return incoming
  if (encoding !== 'br' && !/^(x-)?gzip$|^deflate$/.test(encoding)) {
    incoming.destroy()
    throw new Error(`the answer uses an unsupported compression (${encoding.slice(0, 50)})`)
  }
  // Errors reach the reader of the last stream.
  return pipeline(incoming, encoding === 'br' ? createBrotliDecompress() : createUnzip(), () => undefined)
}

/** The part of a `ReadableStream` that our callers use. */
class HttpBody {
  readonly #chunks: Readable
  readonly #signal: AbortSignal | undefined

  constructor(chunks: Readable, signal: AbortSignal | undefined) {
    this.#chunks = chunks
    this.#signal = signal
    // A stream without a listener for errors would end the process.
    chunks.on('error', () => undefined)
  }

  getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> {
    const { next } = this[Symbol.asyncIterator]()
    return {
      read: next as ReadableStreamDefaultReader<Uint8Array>['read'],
      cancel: () => Promise.resolve(void this.#chunks.destroy()),
    }
  }

  [Symbol.asyncIterator](): Required<Pick<AsyncIterator<Uint8Array>, 'next' | 'return'>> {
    const chunks = this.#chunks[Symbol.asyncIterator]() as Required<AsyncIterator<Uint8Array>>
    return {
      next: () =>
        chunks.next().catch((error: unknown) => {
          throw this.#describe(error)
        }),
      return: () => chunks.return(),
    }
  }

  #describe(error: unknown): unknown {
    return this.#signal?.aborted === true ? this.#signal.reason : new TypeError('terminated', { cause: error })
  }
}

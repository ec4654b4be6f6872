import type { LookupAddress } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { type Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { type AddressGuard, checkedAddresses, fetchError, parseUrl } from './url-guard.ts'

export interface FetchOptions extends AddressGuard {
  signal: AbortSignal
  maxBytes?: number
  timeoutMs?: number
  /** Decides if a redirect is followed. If not, throws an error that names its target. Default: always. */
  follows?(from: URL, to: URL): boolean
}

export interface FetchedPage {
  /** URL after redirects. */
  url: string
  status: number
  statusText: string
  contentType: string
  body: Buffer
}

const maxUrl = 2000
const maxRedirects = 5

/**
 * Fetches a page from the public web. Parses the URL once, resolves the host once, checks every address and connects
 * only to checked addresses. So DNS rebinding has no effect. The same applies to every redirect.
 */
export async function fetchUrl(given: string, options: FetchOptions): Promise<FetchedPage> {
  const { signal, timeoutMs = 30_000, maxBytes = 10 * 1024 * 1024 } = options
  if (given.length > maxUrl) throw new Error(`The URL is longer than ${maxUrl} characters.`)
  const limit = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, limit])
  let url = parseUrl(given)
  try {
    for (let redirects = 0; ; redirects++) {
      const addresses = await abortable(checkedAddresses(url.hostname, options), either)
      const response = await request(url, addresses, either)
      const next = redirectTarget(response)
      if (next === undefined) return await toFetchedPage(url, response, maxBytes, either)
      response.destroy()
      if (redirects === maxRedirects) throw new Error(`${given} redirects more than ${maxRedirects} times.`)
      const to = parseUrl(next, url)
      if (options.follows?.(url, to) === false)
        throw new Error(`${url.href} redirects to another host. If you want that page, fetch it: ${to.href}`)
      url = to
    }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) throw new Error(`${url.href} timed out after ${timeoutMs / 1000} s.`, { cause: error })
    throw fetchError(error, url)
  }
}

function request(url: URL, addresses: LookupAddress[], signal: AbortSignal): Promise<http.IncomingMessage> {
  const pinned: LookupFunction = (_host, options, done) => {
    const [first] = addresses
    if (options.all === true) done(null, addresses)
    else done(null, first!.address, first!.family)
  }
  const transport = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    // No agent, so that no proxy and no pooled connection is used.
    const outgoing = transport.get(url, { agent: false, lookup: pinned, signal, maxHeaderSize: 65_536, headers })
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
}

const headers = {
  accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, br',
  'user-agent': 'Mozilla/5.0 (compatible; Troupe)',
}

function redirectTarget({ statusCode, headers: { location } }: http.IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode ?? 0) ? location : undefined
}

async function toFetchedPage(
  url: URL,
  response: http.IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<FetchedPage> {
  return {
    url: url.href,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    contentType: response.headers['content-type'] ?? '',
    body: await readBody(response, maxBytes, signal),
  }
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // Always attach handlers: an unhandled rejection would end the process.
    work.then(resolve, reject)
    const stop = (): void => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Returns the decompressed body of a response. Throws if it exceeds the limit, compressed or decompressed. */
async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const declared = Number(response.headers['content-length'])
  if (declared > maxBytes) {
    response.destroy()
    throw tooLargeError(maxBytes, declared)
  }
  const chunks: Buffer[] = []
  await pipeline(
    response,
    (source: AsyncIterable<Buffer>) => limitBytes(source, maxBytes),
    decompressor(response.headers['content-encoding']),
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of limitBytes(source, maxBytes)) chunks.push(chunk)
    },
    { signal },
  )
  return Buffer.concat(chunks)
}

async function* limitBytes(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw tooLargeError(maxBytes)
    yield chunk
  }
}

function decompressor(encoding = 'identity'): Duplex {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return new PassThrough()
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      return createInflate()
    case 'zstd':
      return createZstdDecompress()
    default:
      throw new Error(`The page uses an unsupported compression (${encoding.slice(0, 50)}).`)
  }
}

function tooLargeError(maxBytes: number, size?: number): Error {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(bytes < 1024 * 1024 ? 2 : 0)
  const has = size === undefined ? 'is larger' : `has ${megabytes(size)} MB, more`
  return new Error(
    `The page ${has} than the limit of ${megabytes(maxBytes)} MB. Fetch a smaller page, or download it with a command.`,
  )
}

import type { ErrorInfo } from '@troupe/protocol'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import type { PageAccess } from './page-access.ts'
import { inFolder } from './folder-scope.ts'
import { cachedAtHeader } from './response-cache.ts'

export type Request = (method: string, path: string, options?: RequestOptions) => Promise<Response>

export interface RequestOptions {
  body?: unknown
  /** Sent unchanged, with the blob's own media type. */
  bytes?: Blob
  signal?: AbortSignal
  /** Receives the upload progress, from 0 to 1. */
  onProgress?: (sent: number) => void
}

/**
 * Creates the request function that all API calls use. It resolves only with an OK response. Otherwise it throws an
 * `ApiError`, or the signal's reason if aborted. `onLocked` runs on every 401 that a renewed credential does not fix.
 * `onReach` reports after each request if the server responded. For cached responses it also gets the time of the
 * original response.
 */
export function createRequest(
  fetch: typeof globalThis.fetch,
  onLocked: () => void,
  onReach: (reached: boolean, keptAt?: number) => void = () => undefined,
  access?: PageAccess,
): Request {
  return async function request(method, path, options = {}) {
    const { signal } = options
    let response: Response
    try {
      const headers = access?.headers() ?? {}
      response = await send(method, path, options, headers)
      if (response.status === 401 && access !== undefined) {
        // Another tab may have renewed the credential in the meantime.
        const isRenewed = access.headers()['authorization'] !== headers['authorization'] || (await access.renew())
        if (isRenewed) response = await send(method, path, options, access.headers())
      }
    } catch (error) {
      signal?.throwIfAborted()
      onReach(false)
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError(0, {
        name: unreachable,
        message: t.api.unreachable(reason),
      })
    }
    const keptAt = response.headers.get(cachedAtHeader)
    if (keptAt === null) onReach(true)
    else onReach(false, Number(keptAt))
    if (response.ok) return response
    if (response.status === 401) onLocked()
    throw await readError(response)
  }

  function send(
    method: string,
    path: string,
    { body, bytes, signal, onProgress }: RequestOptions,
    headers: Record<string, string>,
  ): Promise<Response> {
    if (bytes !== undefined && onProgress !== undefined && 'XMLHttpRequest' in globalThis)
      return uploadFetch(path, bytes, { signal, onProgress, headers })
    return fetch(path, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bytes !== undefined && { 'content-type': bytes.type }),
      },
      body: body === undefined ? bytes : JSON.stringify(body),
      signal,
      credentials: 'x-troupe-page' in headers ? 'same-origin' : 'omit',
      cache: 'no-store',
    })
  }
}

/** Every request goes to this folder. */
export function requestInFolder(request: Request, folder: string | null): Request {
  return (method, path, options) => request(method, inFolder(path, folder), options)
}

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: { name: string; message: string; data?: Record<string, unknown> } }
    return new ApiError(response.status, {
      name: error.name,
      message: error.message,
      data: error.data,
    })
  } catch {
    // Not our error format: the response comes from a proxy or another server on this port.
    const message = t.api.answered(`${response.status} ${response.statusText}`.trim())
    return new ApiError(response.status, { name: 'BadResponse', message })
  }
}

/** `fetch` with upload progress from 0 to 1, which the native `fetch` lacks. */
function uploadFetch(
  path: string,
  bytes: Blob,
  {
    signal,
    onProgress,
    headers,
  }: {
    signal?: AbortSignal | undefined
    onProgress: (sent: number) => void
    headers: Record<string, string>
  },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    for (const [name, value] of Object.entries({ ...headers, 'content-type': bytes.type }))
      request.setRequestHeader(name, value)
    request.responseType = 'text'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener('load', () =>
      resolve(new Response(request.responseText, { status: request.status, statusText: request.statusText })),
    )
    request.addEventListener('error', () => reject(new TypeError('the upload was cut')))
    request.addEventListener('abort', () => reject(new TypeError('the upload was stopped')))
    signal?.addEventListener('abort', () => request.abort())
    request.send(bytes)
  })
}

/** Error response of the server. If the server is unreachable, the name is `Unreachable` and the status is 0. */
export class ApiError extends Error {
  readonly status: number
  readonly data: Record<string, unknown>

  constructor(status: number, info: ErrorInfo) {
    super(info.message)
    this.name = info.name
    this.status = status
    this.data = info.data ?? {}
  }
}

/** Name of the error if no response arrived. */
export const unreachable = 'Unreachable'

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof ApiError)
    return { name: error.name, message: translateServerText(error.message, 'text'), data: error.data }
  if (error instanceof Error) return { name: error.name, message: error.message }
  return { name: 'Error', message: String(error) }
}

import type { ErrorInfo } from '@troupe/protocol'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import type { PageAccess } from './page-access.ts'
import { cachedAtHeader } from './response-cache.ts'

export type Request = (method: string, path: string, options?: RequestOptions) => Promise<Response>

export interface RequestOptions {
  body?: unknown
  /** Sent as they are, under their own type. */
  bytes?: Blob
  signal?: AbortSignal
  /** Hears how much of the bytes has gone, from 0 to 1. */
  onProgress?: (sent: number) => void
}

/**
 * One way to the server. Resolves only with a good response; throws an `ApiError` otherwise, and the signal's reason
 * where it was aborted. `onLocked` hears of every 401 that a renewed credential does not mend, `onReach` of every request
 * whether a server answered it, and when it did where the answer is one that was kept.
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
        // Another tab may have renewed the credential meanwhile.
        const isRenewed = access.headers()['authorization'] !== headers['authorization'] || (await access.renew())
        if (isRenewed) response = await send(method, path, options, access.headers())
      }
    } catch (error) {
      signal?.throwIfAborted()
      onReach(false)
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError(0, {
        name: 'Unreachable',
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
      ...(body !== undefined && { body: JSON.stringify(body) }),
      body: bytes,
      signal,
      credentials: 'omit',
      cache: 'no-store',
    })
  }
}

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as { error: { name: string; message: string; data?: Record<string, unknown> } }
    return new ApiError(response.status, {
      name: error.name,
      message: error.message,
      ...(error.data && { data: error.data }),
    })
  } catch {
    // Not ours: a proxy, or a server of another kind on this port.
    const message = t.api.answered(`${response.status} ${response.statusText}`.trim())
    return new ApiError(response.status, { name: 'BadResponse', message })
  }
}

/** `fetch` for bytes that says how much of them has gone, from 0 to 1; the browser's own cannot. */
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

/** What the server refused, in its own words; or that it could not be reached, as `Unreachable` with status 0. */
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

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

/** The name and text of whatever was thrown, for a card. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof ApiError)
    return { name: error.name, message: translateServerText(error.message, 'text'), data: error.data }
  if (error instanceof Error) return { name: error.name, message: error.message }
  return { name: 'Error', message: String(error) }
}

import { t } from '../texts/t.ts'
import { keptHeader } from '../offline/service-worker.ts'
import { ApiError } from './api-error.ts'
import { uploadFetch } from './upload-fetch.ts'

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
 * where it was aborted. `onLocked` hears of every 401, `onReach` of every request whether a server answered it, and when
 * it did where the answer is one that was kept.
 */
export function createRequest(
  fetch: typeof globalThis.fetch,
  onLocked: () => void,
  onReach: (reached: boolean, keptAt?: number) => void = () => undefined,
): Request {
  return async function request(method, path, { body, bytes, signal, onProgress } = {}) {
    let response: Response
    try {
      const counted = bytes !== undefined && onProgress !== undefined && 'XMLHttpRequest' in globalThis
      response = counted
        ? await uploadFetch(path, bytes, { signal, onProgress })
        : await fetch(path, {
            method,
            ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
            ...(bytes !== undefined && { body: bytes, headers: { 'content-type': bytes.type } }),
            ...(signal !== undefined && { signal }),
            credentials: 'same-origin',
            cache: 'no-store',
          })
    } catch (error) {
      signal?.throwIfAborted()
      onReach(false)
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError(0, {
        name: 'Unreachable',
        message: t.api.unreachable(reason),
      })
    }
    const keptAt = response.headers.get(keptHeader)
    if (keptAt === null) onReach(true)
    else onReach(false, Number(keptAt))
    if (response.ok) return response
    if (response.status === 401) onLocked()
    throw await readError(response)
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

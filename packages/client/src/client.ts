import { type ChatRequest, type Chunk, readEvents } from '@troupe/protocol'
import { type Call, createCall, type Send } from './call.ts'

export interface ClientOptions {
  /** Address of the server, for example `http://127.0.0.1:4880`. */
  url: string
  /** Content of the file `token` in the home folder. */
  token: string
  fetch?: typeof globalThis.fetch
}

export interface Client {
  /** Calls an endpoint: `client.call('GET /ai/sessions', { query: { q: 'trip' } })`. */
  call: Call
  /** Sends a message and yields the chunks of its answer. */
  chat(request: ChatRequest, options?: { signal?: AbortSignal }): AsyncIterable<Chunk>
}

/** An error response of the server. */
export class ClientError extends Error {
  readonly status: number
  readonly data: Record<string, unknown>

  constructor(status: number, error: { name: string; message: string; data?: Record<string, unknown> }) {
    super(error.message)
    this.name = error.name
    this.status = status
    this.data = error.data ?? {}
  }
}

/** A client for programs. The page and the command line use `createCall` with their own transport. */
export function createClient({ url, token, fetch = globalThis.fetch }: ClientOptions): Client {
  const send: Send = async (method, path, { body, signal }) => {
    const raw = body instanceof Blob || body instanceof Uint8Array
    const response = await fetch(url.replace(/\/$/, '') + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': raw ? 'application/octet-stream' : 'application/json' }),
      },
      body: raw ? (body as Blob) : body === undefined ? undefined : JSON.stringify(body),
      signal,
    })
    if (response.ok) return response
    throw await readError(response)
  }
  return {
    call: createCall(send),
    async *chat(request, { signal } = {}) {
      const response = await send('POST', '/ai/chat', { body: request, signal })
      if (response.body === null) return
      for await (const { chunk } of readEvents(response.body)) yield chunk
    },
  }
}

async function readError(response: Response): Promise<ClientError> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error: ConstructorParameters<typeof ClientError>[1] }
    return new ClientError(response.status, error)
  } catch {
    return new ClientError(response.status, {
      name: 'BadResponse',
      message: `${response.status} ${response.statusText}`,
    })
  }
}

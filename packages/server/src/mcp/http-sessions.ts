import { randomUUID } from 'node:crypto'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createEventStore } from './event-memory.ts'
import type { McpService } from './offer.ts'

/** Clients that begin with a handshake, each with a session of its own. */
export interface McpHttpSessions {
  /** Undefined: the request belongs to no session and begins none. */
  take(request: Request): Promise<Response | undefined>
  close(): Promise<void>
}

interface McpHttpSession {
  transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
  close(): Promise<void>
}

const maxSessions = 100
const idleMs = 3_600_000
/** No handshake is longer. */
const maxHandshakeBytes = 65_536
/** How long a client waits before it asks again for what it missed. */
const retryMs = 1000

export async function createHttpSessions(offer: McpService): Promise<McpHttpSessions> {
  const { isInitializeRequest, WebStandardStreamableHTTPServerTransport: Transport } =
    await import('@modelcontextprotocol/server')
  const sessions = new Map<string, McpHttpSession>()
  return {
    async take(request) {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return (await isHandshake(request)) ? begin(request) : undefined
      const session = sessions.get(id)
      if (session === undefined) return new Response('There is no such session: begin a new one.', { status: 404 })
      session.usedAt = Date.now()
      return session.transport.handleRequest(request)
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end))
    },
  }

  async function isHandshake(request: Request): Promise<boolean> {
    const length = Number(request.headers.get('content-length') ?? maxHandshakeBytes)
    if (request.method !== 'POST' || length >= maxHandshakeBytes) return false
    // What cannot be read is answered by whoever takes the request.
    const body: unknown = await request
      .clone()
      .json()
      .catch(() => undefined)
    return isInitializeRequest(body)
  }

  async function begin(request: Request): Promise<Response> {
    await makeRoom()
    const server = await offer.server()
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: retryMs,
      onsessioninitialized: (id) =>
        void sessions.set(id, { transport, usedAt: Date.now(), close: () => server.close() }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    return transport.handleRequest(request)
  }

  /** Those that nobody has used for long go, and the oldest where there are too many. */
  async function makeRoom(): Promise<void> {
    const byAge = [...sessions].toSorted(([, a], [, b]) => a.usedAt - b.usedAt)
    const tooMany = byAge.length - maxSessions + 1
    const old = byAge.filter(([, { usedAt }], index) => index < tooMany || Date.now() - usedAt > idleMs)
    await Promise.all(old.map(([id]) => end(id)))
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id)
    sessions.delete(id)
    await session?.close()
  }
}

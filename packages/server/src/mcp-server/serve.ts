import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { EventStore, JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { McpService } from './create-mcp-server.ts'

export async function serveOverStdio(offer: McpService): Promise<{ ended: Promise<void>; close(): Promise<void> }> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const ended = Promise.withResolvers<void>()
  const transport = new StdioServerTransport()
  process.stdin.once('end', () => ended.resolve())
  process.stdin.once('close', () => ended.resolve())
  const handle = serveStdio(() => offer.server(), { transport })
  return { ended: ended.promise, close: () => handle.close() }
}

/** Serves at `/mcp` on loopback. Requires the token and rejects browser pages. */
export async function serveOverHttp(
  offer: McpService,
  { port, token }: { port: number; token: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const sessions = await createHttpSessions(offer)
  // Clients without a handshake (newer protocol versions) are served statelessly.
  const handler = createMcpHandler(() => offer.server())
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    async fetch(request: Request) {
      const refusal = refuse(request, token, (server.address() as AddressInfo).port)
      return refusal ?? (await sessions.handle(request)) ?? handler.fetch(request)
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      await sessions.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      })
    },
  }
}

function refuse(request: Request, token: string, port: number): Response | undefined {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  const { pathname } = new URL(request.url)
  if (!hosts.includes(request.headers.get('host') ?? '')) return new Response('Wrong host.', { status: 403 })
  const origin = request.headers.get('origin')
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`))
    return new Response('Wrong origin.', { status: 403 })
  if (pathname !== '/mcp') return new Response('Only /mcp is available.', { status: 404 })
  if (isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) return undefined
  return new Response('The token is missing or wrong.', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Sessions of clients that start with a handshake. */
interface McpHttpSessions {
  /** Returns undefined if the request neither belongs to a session nor starts one. */
  handle(request: Request): Promise<Response | undefined>
  close(): Promise<void>
}

interface McpHttpSession {
  transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
  close(): Promise<void>
}

const maxSessions = 100
const idleMs = 3_600_000
/** Larger than any handshake. */
const maxHandshakeBytes = 65_536
/** Time a client waits before it reconnects for missed messages. */
const retryMs = 1000

async function createHttpSessions(offer: McpService): Promise<McpHttpSessions> {
  const { isInitializeRequest, WebStandardStreamableHTTPServerTransport: Transport } =
    await import('@modelcontextprotocol/server')
  const sessions = new Map<string, McpHttpSession>()
  return {
    async handle(request) {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return (await isHandshake(request)) ? begin(request) : undefined
      const session = sessions.get(id)
      if (session === undefined) return new Response('This session does not exist. Start a new one.', { status: 404 })
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
    // The request's handler reports an unreadable body.
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

  /** Closes idle sessions, and the oldest ones above the limit. */
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

const maxEvents = 1000
const maxCharacters = 8_000_000

/** Keeps a session's newest messages, so a reconnecting client gets those it missed. */
function createEventStore(): EventStore {
  const events: { number: number; stream: string; message: JSONRPCMessage; length: number }[] = []
  let last = 0
  let characters = 0
  return {
    storeEvent(stream, message) {
      const { length } = JSON.stringify(message)
      events.push({ number: ++last, stream, message, length })
      characters += length
      while (events.length > maxEvents || (characters > maxCharacters && events.length > 1))
        characters -= events.shift()?.length ?? 0
      return Promise.resolve(eventId(last, stream))
    },
    // Does not implement the stream lookup: a reconnecting client would be refused while its broken connection still
    // counts as open.
    async replayEventsAfter(id, { send }) {
      const from = parseEventId(id)
      if (from === undefined) throw new Error('This event does not exist.')
      const missed = events.filter(({ number, stream }) => stream === from.stream && number > from.number)
      for (const { number, stream, message } of missed) await send(eventId(number, stream), message)
      return from.stream
    },
  }
}

function eventId(number: number, stream: string): string {
  return `${number}.${stream}`
}

function parseEventId(id: string): { number: number; stream: string } | undefined {
  const match = /^(\d{1,15})\.(.*)$/.exec(id)
  return match === null ? undefined : { number: Number(match[1]), stream: match[2] as string }
}

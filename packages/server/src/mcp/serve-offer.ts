import { timingSafeEqual } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import { createHttpSessions } from './http-sessions.ts'
import type { McpService } from './offer.ts'

/** Serves an offer over the standard streams until the other side has gone. */
export async function serveOverStdio(offer: McpService): Promise<{ ended: Promise<void>; close(): Promise<void> }> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const ended = Promise.withResolvers<void>()
  const transport = new StdioServerTransport()
  process.stdin.once('end', () => ended.resolve())
  process.stdin.once('close', () => ended.resolve())
  const handle = serveStdio(() => offer.server(), { transport })
  return { ended: ended.promise, close: () => handle.close() }
}

/** Serves an offer at `/mcp` on loopback. Only who knows the token gets in, and no page of a browser does. */
export async function serveOverHttp(
  offer: McpService,
  { port, token }: { port: number; token: string },
): Promise<{ url: string; close(): Promise<void> }> {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const sessions = await createHttpSessions(offer)
  // Who begins without a handshake, as newer versions do, has every request answered for itself.
  const handler = createMcpHandler(() => offer.server())
  const server = createAdaptorServer({
    async fetch(request: Request) {
      const refusal = refuse(request, token, (server.address() as AddressInfo).port)
      return refusal ?? (await sessions.take(request)) ?? handler.fetch(request)
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
  if (pathname !== '/mcp') return new Response('There is only /mcp.', { status: 404 })
  if (isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)) return undefined
  return new Response('The token is missing or wrong.', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

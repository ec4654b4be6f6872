import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The browser's only way to the network: a loopback proxy that connects to checked addresses only. */
export interface GuardProxy {
  url: string
  /** Serves a connection that another server accepted. */
  accept(socket: Socket): void
  close(): Promise<void>
}

/** Resolves a host and throws unless every address is allowed. */
export type CheckHost = (host: string, port: number) => Promise<LookupAddress[]>

const idleMs = 5 * 60_000
/** Hop-by-hop headers, not forwarded. */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export async function startGuardProxy(check: CheckHost): Promise<GuardProxy> {
  const sockets = new Set<Duplex>()
  const server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    void forward(request, response)
  })
  server.on('connection', keep)
  server.on('connect', (request: http.IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(request.url ?? '', client, head)
  })
  server.on('upgrade', (_request, client: Duplex) => client.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accept: (socket) => void server.emit('connection', socket),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }

  function keep(socket: Duplex): void {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Other listeners see the error too. Without a listener here it could crash the process.
    socket.on('error', () => socket.destroy())
  }

  async function tunnel(target: string, client: Duplex, head: Buffer): Promise<void> {
    const url = URL.parse(`http://${target}`)
    if (url === null) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port || 80)
    try {
      // Connects to the checked addresses, so a later DNS change has no effect.
      const addresses = await check(host, port)
      if (client.destroyed) return
      const remote = net.connect({ host, port, lookup: pinned(addresses), autoSelectFamily: true })
      keep(remote)
      remote.setTimeout(idleMs, () => remote.destroy())
      client.once('close', () => remote.destroy())
      await once(remote, 'connect')
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) remote.write(head)
      join(client, remote)
    } catch {
      client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    }
  }

  async function forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '')
    // Not a proxy request. A page elsewhere may have found the port.
    if (url === null || url.protocol !== 'http:') return void response.writeHead(400).end()
    const host = url.hostname.replace(/^\[|\]$/g, '')
    try {
      const addresses = await check(host, Number(url.port || 80))
      if (response.destroyed) return
      const outgoing = http.request(url, {
        method: request.method ?? 'GET',
        headers: forwardedHeaders(request.rawHeaders),
        agent: false,
        lookup: pinned(addresses),
        maxHeaderSize: 65_536,
      })
      outgoing.on('socket', keep)
      outgoing.setTimeout(idleMs, () => outgoing.destroy())
      // Listens for the whole lifetime: an error may arrive in the same packet as the response.
      outgoing.on('error', (error) => {
        if (!response.headersSent) refuse(response, error)
      })
      outgoing.once('close', () => {
        if (!response.headersSent) response.destroy()
      })
      outgoing.once('response', (incoming) => {
        incoming.on('error', () => response.destroy())
        answer(response, incoming)
      })
      response.once('close', () => outgoing.destroy())
      request.pipe(outgoing)
    } catch (error) {
      refuse(response, error as Error)
    }
  }
}

/** A remote response may contain values that cannot be forwarded. */
function answer(response: http.ServerResponse, incoming: http.IncomingMessage): void {
  const { statusCode = 502, statusMessage = '', rawHeaders } = incoming
  try {
    response.writeHead(statusCode, statusMessage.replace(/[^ -~]/g, ''), forwardedHeaders(rawHeaders))
    incoming.pipe(response)
  } catch (error) {
    refuse(response, error as Error)
  }
}

function refuse(response: http.ServerResponse, { message }: Error): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(502, 'Bad Gateway', { 'content-type': 'text/plain; charset=utf-8' })
  response.end(message)
}

function pinned(addresses: LookupAddress[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = addresses
    if (options.all === true) done(null, addresses)
    else done(null, first!.address, first!.family)
  }
}

function forwardedHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, index) => !hopHeaders.has((raw[index - (index % 2)] ?? '').toLowerCase()))
}

function join(client: Duplex, remote: Socket): void {
  client.pipe(remote)
  remote.pipe(client)
  remote.once('close', () => client.destroy())
}

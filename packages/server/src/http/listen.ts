import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { NamedError } from '@troupe/protocol'
import type { App } from './app.ts'

export interface Listening {
  port: number
  /** Stops accepting connections. Open ones continue. */
  stop: () => void
  /** Closes all connections. Active responses get a short grace period. */
  end: () => Promise<void>
}

const graceMs = 250

/** Answers a request to change the protocol, such as a WebSocket. Owns the socket. */
export type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

/** Loads the HTTP server only if a port is opened, since headless runs do not need it. */
export async function listen(
  app: App,
  wanted: { host: string; port: number; tls?: { cert: Buffer; key: Buffer } | undefined },
  onUpgrade?: OnUpgrade,
): Promise<Listening> {
  const { host, port, tls } = wanted
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new NamedError('BadPort', 'A port must be a whole number from 0 to 65535. 0 picks a free port.')
  }
  const { createAdaptorServer } = await import('@hono/node-server')
  // Leaves global classes unchanged, since an embedding program may depend on them.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    ...(tls && { createServer: (await import('node:https')).createServer, serverOptions: tls }),
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, port)))
    server.listen(port, host, resolve)
  })
  // Failing to accept a connection, for example without free file descriptors, is not fatal.
  server.on('error', () => undefined)
  // The HTTP server no longer knows sockets that changed their protocol, but waits for them at its end.
  const upgraded = new Set<Duplex>()
  if (onUpgrade !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      socket.on('error', () => socket.destroy())
      onUpgrade(request, socket, head).catch(() => socket.destroy())
    })
  }
  const closed = new Promise<void>((resolve) => server.once('close', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => void server.close(),
    async end() {
      const late = setTimeout(() => server.closeAllConnections(), graceMs)
      server.closeIdleConnections()
      for (const socket of upgraded) socket.destroy()
      await closed
      clearTimeout(late)
    },
  }
}

export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function portError(error: NodeJS.ErrnoException, port: number): Error {
  const options = { status: 409, data: { port }, cause: error }
  if (error.code === 'EADDRINUSE') {
    return new NamedError(
      'PortInUse',
      `Port ${port} is in use. Choose another with --port, or 0 for a free port.`,
      options,
    )
  }
  if (error.code === 'EACCES') {
    return new NamedError('PortNotAllowed', `Port ${port} needs more privileges. Choose a port above 1023.`, options)
  }
  return error
}

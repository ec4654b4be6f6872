import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes connections on to a server, as a balancer or a home router would. */
export interface Balancer {
  url: string
  /** New connections go to this port. */
  target: number
  /** Ends all connections, as a network that goes away. */
  cut(): void
  close(): Promise<void>
}

export async function openBalancer(): Promise<Balancer> {
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(balancer.target, '127.0.0.1')
    for (const socket of [from, to]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        from.destroy()
        to.destroy()
      })
    }
    from.pipe(to).pipe(from)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    cut,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
  return balancer
}

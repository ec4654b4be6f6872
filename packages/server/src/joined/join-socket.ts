import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { joinEndpoints, joinPath, joinSubprotocol, NamedError } from '@troupe/protocol'
import type { WebSocketServer } from 'ws'
import type { OnUpgrade } from '../http/listen.ts'
import { personIdOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import type { Tickets } from '../http/tickets.ts'
import type { JoinedNodes } from './joined-nodes.ts'
import type { JoinPlace } from './relay.ts'

const mostSockets = 1000
const mostBytes = 64 << 20

export function joinRoutes({ joined }: { joined?: { tickets: Tickets<JoinPlace> } | undefined }): Route[] {
  return implement(joinEndpoints, {
    'POST /ai/join/ticket': ({ principal }) => {
      const person = personIdOf(principal)
      if (joined === undefined || person === undefined)
        throw new NamedError('NotTeam', 'This is only available in team mode.', { status: 404 })
      return { ticket: joined.tickets.issue({ join: person }) }
    },
  })
}

/** Answers the sockets of computers that join. Undefined for other requests. */
export function joinUpgrade(services: {
  nodes: JoinedNodes
  tickets: Tickets<JoinPlace>
}): (request: IncomingMessage) => OnUpgrade | undefined {
  const { nodes, tickets } = services
  let server: Promise<WebSocketServer> | undefined
  let count = 0
  return (request) => (request.url === joinPath ? upgrade : undefined)

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [first, ticket = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    // Pages never join.
    const place = first === joinSubprotocol && request.headers.origin === undefined ? tickets.redeem(ticket) : undefined
    if (place === undefined || count >= mostSockets) {
      const status = place === undefined ? 401 : 503
      socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    count++
    socket.once('close', () => count--)
    server ??= import('ws').then(
      ({ WebSocketServer: Server }) =>
        new Server({
          noServer: true,
          maxPayload: mostBytes,
          perMessageDeflate: false,
          handleProtocols: () => joinSubprotocol,
        }),
    )
    const ready = await server
    ready.handleUpgrade(request, socket, head, (opened) => {
      if ('relay' in place) nodes.relay(opened, place.relay)
      else nodes.accept(opened, place.join, personOf)
    })
  }

  function personOf(ticket: string): string | undefined {
    const place = tickets.redeem(ticket)
    return place !== undefined && 'join' in place ? place.join : undefined
  }
}

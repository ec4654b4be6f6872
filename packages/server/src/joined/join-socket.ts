import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { joinEndpoints, joinPath, joinSubprotocol, NamedError } from '@troupe/protocol'
import type { OnUpgrade } from '../http/listen.ts'
import { personIdOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { createTicketSockets } from '../http/ticket-sockets.ts'
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
  const sockets = createTicketSockets({ subprotocol: joinSubprotocol, mostSockets, mostBytes })
  return (request) => (request.url === joinPath ? upgrade : undefined)

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ticket = sockets.ticketOf(request)
    // Pages never join.
    const place = ticket === undefined || request.headers.origin !== undefined ? undefined : tickets.redeem(ticket)
    await sockets.open({ request, socket, head }, place === undefined ? 401 : undefined, (opened) => {
      if (place === undefined) return
      if ('relay' in place) nodes.relay(opened, place.relay)
      else nodes.accept(opened, place.join, personOf)
    })
  }

  function personOf(ticket: string): string | undefined {
    const place = tickets.redeem(ticket)
    return place !== undefined && 'join' in place ? place.join : undefined
  }
}

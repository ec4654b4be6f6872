import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'

/** The WebSockets of one subprotocol. A client sends it first, then its ticket as a second one. */
export function createTicketSockets({
  subprotocol,
  mostSockets,
  mostBytes,
}: {
  subprotocol: string
  mostSockets: number
  mostBytes: number
}) {
  let server: Promise<WebSocketServer> | undefined
  let count = 0
  return { ticketOf, open }

  /** Undefined for another subprotocol. */
  function ticketOf(request: IncomingMessage): string | undefined {
    const [first, ticket = ''] = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    return first === subprotocol ? ticket : undefined
  }

  /** `refusal`: a status to refuse the socket with. */
  async function open(
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
    refusal: number | undefined,
    onOpen: (opened: WebSocket) => void,
  ): Promise<void> {
    if (refusal !== undefined || count >= mostSockets) {
      socket.end(`HTTP/1.1 ${refusal ?? 503} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
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
          handleProtocols: () => subprotocol,
        }),
    )
    const ready = await server
    ready.handleUpgrade(request, socket, head, onOpen)
  }
}

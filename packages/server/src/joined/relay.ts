import { joinPath, joinSubprotocol, type NodeMessage, type ServerMessage, serverMessageSchema } from '@troupe/protocol'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Tickets } from '../http/tickets.ts'
import { createConnection, type NodeConnection, notConnected } from './node-connection.ts'

/** What a ticket admits: the computer of a person, or another node that wants to reach a computer. */
export const joinPlaceSchema = z.union([z.object({ join: z.string() }), z.object({ relay: z.string() })])
export type JoinPlace = z.infer<typeof joinPlaceSchema>

/** Computers that are connected to other nodes of the cluster. */
export interface OtherNodes {
  /** Tells the others which computers are connected here. */
  announce(keys: readonly string[]): Promise<void>
  holds(key: string): boolean
  connect(key: string): Promise<NodeConnection | undefined>
  close(): void
}

/** The nodes of a cluster, as far as this needs to know. */
interface ClusterNodes {
  readonly self: { id: string }
  list(): readonly { id: string; url: string; labels: readonly string[] }[]
  refresh(): Promise<void>
  tell(part: string, facts: readonly string[]): Promise<void>
}

const factPrefix = 'joined:'
const connectMs = 5000
const mostBytes = 64 << 20

/** Reaches them over a socket to the other node, one per computer. */
export function createOtherNodes(nodes: ClusterNodes, tickets: Tickets<JoinPlace>): OtherNodes {
  const open = new Map<string, Promise<NodeConnection | undefined>>()
  const sockets = new Set<WebSocket>()
  return {
    announce: (keys) =>
      nodes.tell(
        'joined',
        keys.map((key) => factPrefix + key),
      ),
    holds: (key) => holderOf(key) !== undefined,
    connect(key) {
      const known = open.get(key)
      if (known !== undefined) return known
      const opening = connect(key)
      open.set(key, opening)
      // The computer may be elsewhere the next time.
      void opening.then((found) => found ?? open.delete(key)).catch(() => open.delete(key))
      return opening
    },
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }

  function holderOf(key: string): { url: string } | undefined {
    return nodes.list().find(({ id, labels }) => id !== nodes.self.id && labels.includes(factPrefix + key))
  }

  async function connect(key: string): Promise<NodeConnection | undefined> {
    if (holderOf(key) === undefined) await nodes.refresh()
    const holder = holderOf(key)
    if (holder === undefined) return undefined
    const url = new URL(joinPath, holder.url.replace(/^http/, 'ws'))
    const socket = new WebSocket(url, [joinSubprotocol, tickets.issue({ relay: key })], {
      maxPayload: mostBytes,
      perMessageDeflate: false,
      handshakeTimeout: connectMs,
    })
    sockets.add(socket)
    const connection = createConnection(socket, { name: key.slice(key.indexOf('/') + 1) })
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on('open', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('close', () => {
        sockets.delete(socket)
        open.delete(key)
        resolve(false)
      })
    })
    return isOpen ? connection : undefined
  }
}

/** Serves another node: passes its calls on to a computer that is connected here, and the answers back. */
export function serveRelay(socket: WebSocket, key: string, find: () => NodeConnection | undefined): void {
  const calls = new Map<number, AbortController>()
  const send = (message: NodeMessage): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  socket.on('error', () => undefined)
  socket.on('close', () => {
    for (const call of calls.values()) call.abort(new Error('The node that asked is gone.'))
  })
  socket.on('message', (data) => {
    const message = readMessage(String(data as Buffer))
    if (message === undefined) return socket.close(1008, 'bad message')
    if (message.type === 'abort') return calls.get(message.id)?.abort(new Error('The tool call was stopped.'))
    if (message.type === 'drop') return find()?.drop(message.sessionId, message.agentId)
    if (message.type === 'call') void pass(message)
  })

  async function pass({ id, call }: Extract<ServerMessage, { type: 'call' }>): Promise<void> {
    const controller = new AbortController()
    calls.set(id, controller)
    try {
      const connection = find()
      if (connection === undefined) throw notConnected(key.slice(key.indexOf('/') + 1))
      const result = await connection.call(call, controller.signal, {
        onProgress: (delta) => send({ type: 'progress', id, delta }),
        onEmit: (event) => send({ ...event, id }),
      })
      send({ type: 'result', id, value: result.value, ...(result.blobs && { blobs: result.blobs }) })
    } catch (error) {
      const code = (error as { data?: { errorCode?: unknown } | null }).data?.errorCode
      const message = error instanceof Error ? error.message : String(error)
      send({ type: 'error', id, message, ...(typeof code === 'string' && { code }) })
    } finally {
      calls.delete(id)
    }
  }
}

function readMessage(text: string): ServerMessage | undefined {
  try {
    return serverMessageSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

import type { TerminalMessage } from '@troupe/protocol'
import { WebSocket } from 'ws'
import { z } from 'zod'

/** Another node of the cluster. */
export interface TerminalNode {
  id: string
  url: string
}

/** Terminals on other nodes. Undefined stands for this one. */
export interface ElsewhereTerminals {
  ofPerson(place: { workspaceId: string; ownerId: string | null }): Promise<TerminalNode | undefined>
  ofSession(sessionId: string): Promise<TerminalNode | undefined>
}

export interface SocketRelay {
  /** Sends a message to the node, and passes on what it says about this channel, or its list of terminals. */
  send(node: TerminalNode, message: TerminalMessage): void
  /** Passes on the list of terminals. */
  list(node: TerminalNode): void
  close(): void
}

const maxPayload = 4 << 20
const connectMs = 5000

const eventSchema = z.object({ type: z.string() })

/** Passes channels of a page on to other nodes, over a socket to each. */
export function createSocketRelay(options: {
  address: (node: TerminalNode) => URL
  protocols: () => string[]
  toPage(text: string): void
  onGone(channel: number): void
}): SocketRelay {
  const { toPage, onGone } = options
  const open = new Map<string, { socket: WebSocket; channels: Set<number>; lists: boolean; waiting: string[] }>()
  return {
    send(node, message) {
      const entry = to(node)
      if (message.type === 'unwatch') entry.channels.delete(message.channel)
      else entry.channels.add(message.channel)
      const text = JSON.stringify(message)
      if (entry.socket.readyState === WebSocket.OPEN) entry.socket.send(text)
      else entry.waiting.push(text)
    },
    list(node) {
      to(node).lists = true
    },
    close() {
      for (const { socket } of open.values()) socket.terminate()
    },
  }

  function to(node: TerminalNode) {
    const known = open.get(node.id)
    if (known !== undefined) return known
    const socket = new WebSocket(options.address(node), options.protocols(), {
      maxPayload,
      perMessageDeflate: false,
      handshakeTimeout: connectMs,
    })
    const entry = { socket, channels: new Set<number>(), lists: false, waiting: [] as string[] }
    open.set(node.id, entry)
    socket.on('open', () => {
      for (const text of entry.waiting.splice(0)) socket.send(text)
    })
    socket.on('message', (data) => {
      const text = String(data as Buffer)
      const isList = eventSchema.safeParse(JSON.parse(text)).data?.type === 'terminals'
      if (!isList || entry.lists) toPage(text)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(node.id)
      for (const channel of entry.channels) onGone(channel)
    })
    return entry
  }
}

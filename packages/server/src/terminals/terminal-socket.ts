import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Session, Store, Task } from '@troupe/core'
import { NamedError, type TerminalEvent, type TerminalMessage, terminalMessageSchema } from '@troupe/protocol'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { AgentStates } from '../agents/agent-states.ts'
import type { Access } from '../http/access.ts'
import { createTicketSockets } from '../http/ticket-sockets.ts'
import type { Tickets } from '../http/tickets.ts'
import type { Terminals } from './open-terminals.ts'
import { createSocketRelay, type ElsewhereTerminals, type SocketRelay, type TerminalNode } from './socket-relay.ts'
import { personSource, type Source, taskSource } from './sources.ts'
import type { TakeOverNotes } from './take-over.ts'
import { TaskListViewer, Viewer } from './viewers.ts'

export const socketPath = '/ai/terminals/socket'
/** The first subprotocol. The second is the ticket: a header, because addresses end up in logs. */
const subprotocol = 'troupe.terminals'

/** Where a page may use terminals. */
export const ticketPlaceSchema = z.object({
  workspaceId: z.string(),
  ownerId: z.string().nullable().describe('the person; null without accounts'),
  isRelay: z.boolean().optional().describe('the caller is another node, which has admitted the page'),
})
export type TicketPlace = z.infer<typeof ticketPlaceSchema>

interface SocketServices {
  access: Access
  tickets: Tickets<TicketPlace>
  terminals: Terminals
  store: Pick<Store, 'sessions'>
  states: Pick<AgentStates, 'tasks'>
  takeOverNotes: TakeOverNotes
  /** In a cluster. */
  elsewhere?: ElsewhereTerminals | undefined
}

const mostSockets = 32
const mostChannels = 64
/** Messages are input of at most 64 Ki characters. */
const mostBytes = 512 << 10
const pingMs = 30_000

/** Returns the handler of the server's `upgrade` event. */
export function terminalUpgrade(services: SocketServices) {
  const sockets = createTicketSockets({ subprotocol, mostSockets, mostBytes })
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const place = admit(request)
    await sockets.open({ request, socket, head }, typeof place === 'number' ? place : undefined, (opened) =>
      serve(opened, place as TicketPlace, services),
    )
  }

  function admit(request: IncomingMessage): TicketPlace | number {
    if (request.url !== socketPath) return 404
    const { host, origin } = request.headers
    const isPage = services.access.isOwnOrigin({ host, origin })
    if (!isPage && origin !== undefined) return 403
    const ticket = sockets.ticketOf(request)
    const place = ticket === undefined ? undefined : services.tickets.redeem(ticket)
    if (place === undefined) return isPage ? 401 : 403
    return isPage || place.isRelay === true ? place : 403
  }
}

function serve(
  socket: WebSocket,
  { workspaceId, ownerId, isRelay = false }: TicketPlace,
  services: SocketServices,
): void {
  const { terminals, store, states, takeOverNotes, tickets } = services
  // Another node has already found out what is here.
  const elsewhere = isRelay ? undefined : services.elsewhere
  const relay = elsewhere && relayOf()
  /** Channels that other nodes serve. */
  const routes = new Map<number, TerminalNode>()
  const viewers = new Map<number, Viewer | TaskListViewer>()
  const send = (event: TerminalEvent): void => socket.send(JSON.stringify(event))
  const sendList = (): void =>
    send({ type: 'terminals', terminals: terminals.list(workspaceId, ownerId).map(({ info }) => info) })
  let unsubscribe = (): unknown => undefined
  let isAlive = true
  let handled = Promise.resolve()
  const pings = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingMs).unref()
  socket.on('pong', () => (isAlive = true))
  // The close event follows.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    clearInterval(pings)
    unsubscribe()
    relay?.close()
    for (const viewer of viewers.values()) viewer.close()
  })
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : readMessage(String(data as Buffer))
    if (message === undefined) return socket.close(1008, 'bad message')
    // In order. A failure belongs to one channel, which is then gone.
    handled = handled.then(() => pass(message)).catch(() => send({ type: 'gone', channel: message.channel }))
  })
  handled = list().catch(() => socket.close(1011, 'no list'))

  async function list(): Promise<void> {
    const node = await elsewhere?.ofPerson({ workspaceId, ownerId })
    if (node !== undefined) return relay?.list(node)
    if (socket.readyState !== socket.OPEN) return
    unsubscribe = terminals.onChange(workspaceId, sendList)
    sendList()
  }

  function relayOf(): SocketRelay {
    return createSocketRelay({
      address: ({ url }) => new URL(socketPath, url.replace(/^http/, 'ws')),
      protocols: () => [subprotocol, tickets.issue({ workspaceId, ownerId, isRelay: true })],
      toPage: (text) => socket.send(text),
      onGone(channel) {
        routes.delete(channel)
        if (socket.readyState === socket.OPEN) send({ type: 'gone', channel })
      },
    })
  }

  /** Handles a message here or on the node that has what it is about. */
  async function pass(message: TerminalMessage): Promise<void> {
    const { channel } = message
    const node = routes.get(channel) ?? (await nodeOf(message))
    if (node === undefined || relay === undefined) return handle(message)
    if (message.type === 'watch' || message.type === 'tasks') {
      checkChannel(channel)
      routes.set(channel, node)
    }
    relay.send(node, message)
    if (message.type === 'unwatch') routes.delete(channel)
  }

  async function nodeOf(message: TerminalMessage): Promise<TerminalNode | undefined> {
    if (message.type === 'watch' && message.terminalId !== undefined)
      return elsewhere?.ofPerson({ workspaceId, ownerId })
    if (message.type !== 'watch' && message.type !== 'tasks') return undefined
    return elsewhere?.ofSession(message.sessionId ?? '')
  }

  async function handle(message: TerminalMessage): Promise<void> {
    const { channel } = message
    if (message.type === 'tasks') {
      const session = await store.sessions.get(message.sessionId)
      checkChannel(channel)
      // A chat that has not begun is not stored yet.
      const list = (): Task[] => (session === undefined || isOwn(session) ? states.tasks(message.sessionId) : [])
      viewers.set(channel, new TaskListViewer(list, (tasks) => send({ type: 'tasks', channel, tasks })))
      return
    }
    if (message.type === 'watch') {
      const source = await find(message)
      checkChannel(channel)
      viewers.set(channel, new Viewer(source, channel, socket))
      return
    }
    const viewer = viewers.get(channel)
    if (viewer === undefined) return
    if (message.type === 'unwatch') {
      viewer.close()
      viewers.delete(channel)
      return
    }
    if (viewer instanceof TaskListViewer) return
    switch (message.type) {
      case 'done':
        return viewer.done(message.characters)
      case 'input':
        return viewer.source.write(message.text)
      case 'position':
        return viewer.source.position?.(message.query, message.row, message.column)
      case 'resize':
        return viewer.source.resize(message)
      case 'hold':
        return viewer.source.hold?.(message.held, message.note)
    }
  }

  /** Input reaches a command that runs as its owner, so nobody else may watch it here. */
  function isOwn(session: Pick<Session, 'workspaceId' | 'ownerId'>): boolean {
    return session.workspaceId === workspaceId && session.ownerId === ownerId
  }

  /** The socket may have closed while its message waited. */
  function checkChannel(channel: number): void {
    if (
      viewers.has(channel) ||
      routes.has(channel) ||
      viewers.size + routes.size >= mostChannels ||
      socket.readyState !== socket.OPEN
    )
      throw new Error('bad channel')
  }

  async function find({ terminalId, sessionId, taskId }: TerminalMessage & { type: 'watch' }): Promise<Source> {
    if (terminalId !== undefined) return personSource(terminals.find(workspaceId, terminalId, ownerId))
    const session = await store.sessions.get(sessionId ?? '')
    const task =
      session !== undefined && isOwn(session) ? states.tasks(session.id).find(({ id }) => id === taskId) : undefined
    if (session === undefined || task === undefined)
      throw new NamedError('TaskNotFound', 'This command does not exist.', { status: 404 })
    return taskSource(task, (note) => void takeOverNotes.tell(session.id, note))
  }
}

function readMessage(text: string): TerminalMessage | undefined {
  try {
    return terminalMessageSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

import { randomUUID } from 'node:crypto'
import { joinRenewMs, type NodeMessage, type Role, type ServerMessage, type WorkspaceRight } from '@troupe/protocol'
import type { WebSocket } from 'ws'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import type { Logger } from '../util/logger.ts'
import { type JoinedFolder, joinedId, joinedPath } from '../util/joined-folder.ts'
import { createConnection, type NodeConnection } from './node-connection.ts'
import { type OtherNodes, serveRelay } from './relay.ts'

/** The computers of members that are connected. */
export interface JoinedNodes {
  /** Serves a computer until its connection ends. `redeem` returns the person of a new ticket. */
  accept(socket: WebSocket, person: string, redeem: (ticket: string) => string | undefined): void
  /** Serves another node of the cluster, which wants to reach a computer that is connected here. */
  relay(socket: WebSocket, key: string): void
  /** Undefined if the computer is not connected, or no longer announces the folder. */
  find(at: JoinedFolder): Promise<NodeConnection | undefined>
  /** The operating system of a computer that is connected here. */
  systemOf(at: JoinedFolder): string | undefined
  isConnected(at: JoinedFolder): boolean
  /** Ends what a chat, or a sub-agent of it, left on computers. */
  drop(sessionId: string, agentId?: string): void
  /** Ends connections of people who may no longer join. */
  recheck(): Promise<void>
  close(): Promise<void>
}

export interface JoinedNodesOptions {
  store: SqlStore
  people: {
    role(personId: string): Promise<Role | undefined>
    grant(workspaceId: string, subject: string, right: WorkspaceRight): Promise<void>
  }
  others?: OtherNodes | undefined
  logger: Logger
  clock?: () => number
}

interface Joined {
  person: string
  instance: string
  /** Of this connection. */
  token: string
  system: string
  folders: ReadonlySet<string>
  connection: NodeConnection
  renewedAt: number
}

const pingMs = 15_000
const joinedSignal = 'troupe_joined'

export async function createJoinedNodes(options: JoinedNodesOptions): Promise<JoinedNodes> {
  const { store, people, others, logger, clock = Date.now } = options
  const nodes = new Map<string, Joined>()
  const pings = setInterval(() => {
    for (const { renewedAt, connection } of nodes.values())
      if (clock() - renewedAt > 2 * joinRenewMs) connection.close()
  }, pingMs).unref()
  const unlisten = await store.signals.listen(joinedSignal, {
    onSignal(payload) {
      const [key = '', token] = payload.split(' ')
      // It is connected to another node now.
      if (nodes.get(key)?.token !== token) nodes.get(key)?.connection.close()
    },
    onReconnect: () => undefined,
  })

  const all: JoinedNodes = {
    accept(socket, person, redeem) {
      let joined: Promise<Joined | undefined> | undefined
      const connection = createConnection(socket, { name: 'node', onOther })
      keepAlive(socket)

      function onOther(message: NodeMessage): void {
        if (message.type === 'hello' && joined === undefined) {
          joined = join(socket, connection, person, message).catch((error: unknown) => {
            logger({ level: 'warn', message: 'a computer could not join', error: String(error) })
            socket.close(1011, 'not joined')
            return undefined
          })
        } else if (message.type === 'renew' && redeem(message.ticket) === person)
          void joined?.then((one) => one !== undefined && (one.renewedAt = clock()))
        else socket.close(1008, 'bad message')
      }
    },
    relay(socket, key) {
      keepAlive(socket)
      serveRelay(socket, key, () => nodes.get(key)?.connection)
    },
    async find(at) {
      const here = nodes.get(keyOf(at))
      if (here !== undefined) return here.folders.has(at.folder) ? here.connection : undefined
      return others?.connect(keyOf(at))
    },
    systemOf: (at) => nodes.get(keyOf(at))?.system,
    isConnected: (at) => nodes.get(keyOf(at))?.folders.has(at.folder) ?? others?.holds(keyOf(at)) ?? false,
    drop(sessionId, agentId) {
      for (const { connection } of nodes.values()) connection.drop(sessionId, agentId)
    },
    async recheck() {
      for (const { person, connection } of nodes.values()) if (!(await mayJoin(person))) connection.close()
    },
    async close() {
      clearInterval(pings)
      await unlisten()
      others?.close()
      for (const { connection } of nodes.values()) connection.close()
    },
  }
  return all

  async function join(
    socket: WebSocket,
    connection: NodeConnection,
    person: string,
    { name, instance, system, folders }: Extract<NodeMessage, { type: 'hello' }>,
  ): Promise<Joined | undefined> {
    const key = keyOf({ person, node: name })
    const known = nodes.get(key)
    if (known !== undefined && known.instance !== instance) {
      socket.close(4409, `another computer is connected as "${name}"`)
      return undefined
    }
    if (!(await mayJoin(person))) {
      socket.close(4403, 'you may not join')
      return undefined
    }
    const opened = []
    for (const path of new Set(folders))
      opened.push({ path, workspaceId: await open({ person, node: name, folder: path }) })
    if (socket.readyState !== socket.OPEN) return undefined
    const joined = {
      person,
      instance,
      token: randomUUID(),
      system,
      folders: new Set(folders),
      connection,
      renewedAt: clock(),
    }
    // The same computer after an interruption. Its earlier calls are lost.
    nodes.get(key)?.connection.close()
    nodes.set(key, joined)
    socket.on('close', () => {
      if (nodes.get(key) !== joined) return
      nodes.delete(key)
      void announce()
    })
    await announce()
    await store.signals.notify(joinedSignal, `${key} ${joined.token}`)
    socket.send(JSON.stringify({ type: 'welcome', folders: opened } satisfies ServerMessage))
    logger({ level: 'info', message: 'a computer joined', person, node: name, folders: folders.length })
    return joined
  }

  async function announce(): Promise<void> {
    await others
      ?.announce([...nodes.keys()])
      .catch((error: unknown) =>
        logger({ level: 'warn', message: 'other nodes were not told of a computer', error: String(error) }),
      )
  }

  async function mayJoin(person: string): Promise<boolean> {
    const role = await people.role(person)
    return role !== undefined && role !== 'viewer'
  }

  /** Only the owner of the computer may use the folder, until they grant it to others. */
  async function open(at: JoinedFolder): Promise<string> {
    const id = joinedId(at)
    await store.db
      .insertInto('workspace')
      .values({
        id,
        path: joinedPath(at),
        trusted: 0,
        created_at: clock(),
        identity: null,
        unlisted: 0,
        opened_at: clock(),
        place: '',
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ unlisted: 0, opened_at: clock() }))
      .execute()
    await people.grant(id, `person:${at.person}`, 'manage')
    return id
  }
}

export function keyOf({ person, node }: Pick<JoinedFolder, 'person' | 'node'>): string {
  return `${person}/${node}`
}

/** Ends a connection whose other side is gone. */
function keepAlive(socket: WebSocket): void {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingMs).unref()
  socket.on('pong', () => (isAlive = true))
  socket.on('error', () => undefined)
  socket.on('close', () => clearInterval(timer))
}

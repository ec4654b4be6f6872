import { setTimeout as delay } from 'node:timers/promises'
import { NamedError, newId } from '@troupe/protocol'
import { type Kysely, sql } from 'kysely'
import type { Logger } from '../util/logger.ts'
import type { ClusterTables } from './tables.ts'

export interface NodeInfo {
  id: string
  /** Where the other nodes reach it. */
  url: string
  /** Names the disk it works on. Nodes of one place see the same folders. */
  place: string
  labels: readonly string[]
  version: string
  startedAt: number
  draining: boolean
}

/** This process among the nodes of the cluster. It holds a lease that it must renew. */
export interface Nodes {
  readonly self: NodeInfo
  /** Appears to the others under this address, and renews the lease from now on. */
  join(url: string): Promise<void>
  /** False once the lease may have run out. Checked before anything with an effect. */
  isValid(): boolean
  /** Like `isValid`. If the lease ran out, what runs here has ended when this returns. */
  checkValid(): boolean
  /** Throws `NodeLost` (503) unless the lease is valid. */
  assertValid(): void
  /** Waits for a node that is about to join again. Throws `NodeLost` (503). */
  ready(): Promise<void>
  /** The node, if its lease is valid. Known since the last beat. */
  find(id: string): NodeInfo | undefined
  list(): readonly NodeInfo[]
  /** Reads the nodes again, for a decision about one that just appeared or left. */
  refresh(): Promise<void>
  drain(): Promise<void>
  /** Replaces what a part of this node says in the labels. The others know with their next beat. */
  tell(part: string, facts: readonly string[]): Promise<void>
  /** Gives the lease up, so that others need not wait for its end. */
  close(): Promise<void>
}

export interface NodesOptions {
  db: Kysely<ClusterTables>
  /** Connections for the lease alone, so that it never waits for other work. Default: `db`. */
  leaseDb?: Kysely<ClusterTables> | undefined
  self: Pick<NodeInfo, 'place' | 'labels' | 'version'>
  logger: Logger
  /** Called before the node appears under this id, also when it joins again. */
  onJoin(id: string): Promise<void>
  /** The lease ran out. Called before `isValid` could turn true again. */
  onLost(): void
  /**
   * The lease of another node ran out, or this one closes. Called by every node, inside a transaction that only one of
   * them commits.
   */
  onDeath(dead: NodeInfo, transaction: Kysely<ClusterTables>): Promise<void>
  /** Called after a death was handled. */
  onReassigned(): void
  leaseMs?: number
  beatMs?: number
}

/** A node that was paused joins again within moments. */
const patienceMs = 10_000

/** Database time in milliseconds. Clocks of nodes are never compared. */
export const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * The nodes of the cluster, with this process. The lease lasts 5 seconds and is renewed four times as often. Two clocks
 * watch it: the monotonic one continues while a process is paused, the wall clock also while a laptop sleeps. Nothing
 * but the renewal delays the renewal: other nodes are looked after by a loop of its own.
 */
export function createNodes(options: NodesOptions): Nodes {
  const { db, leaseDb = db, logger, leaseMs = 5000, beatMs = 1250 } = options
  const self: NodeInfo = { ...options.self, id: newNodeId(), url: '', startedAt: Date.now(), draining: false }
  let known = new Map<string, NodeInfo>()
  const told = new Map<string, readonly string[]>()
  let until = { monotonic: 0, wall: 0 }
  let lost = false
  const stop = new AbortController()
  let beating: Promise<unknown> | undefined
  let watching: NodeJS.Timeout | undefined

  return {
    self,
    async join(url) {
      self.url = url
      await register()
      await refresh()
      watching = setInterval(checkValid, beatMs / 5).unref()
      beating = Promise.all([beat(renewOrRejoin), beat(watchOthers)])
    },
    isValid,
    checkValid,
    assertValid,
    async ready() {
      for (const until = performance.now() + patienceMs; !isValid() && performance.now() < until;) await delay(50)
      if (!checkValid()) throw nodeLost({ hasWaited: true })
    },
    find: (id) => (id === self.id ? self : known.get(id)),
    list: () => [...known.values()],
    refresh,
    async drain() {
      self.draining = true
      await db.updateTable('node').set({ draining: 1 }).where('id', '=', self.id).execute()
    },
    async tell(part, facts) {
      told.set(part, facts)
      self.labels = [...options.self.labels, ...[...told.values()].flat()]
      const labels = JSON.stringify(self.labels)
      await db.updateTable('node').set({ labels }).where('id', '=', self.id).execute()
    },
    async close() {
      stop.abort()
      await beating
      clearInterval(watching)
      await db.transaction().execute((transaction) => remove(self, transaction))
    },
  }

  function checkValid(): boolean {
    if (!isValid()) lose()
    return isValid()
  }

  /** After a pause, what runs here must end before anything else happens. */
  function assertValid(): void {
    if (!checkValid()) throw nodeLost()
  }

  function isValid(): boolean {
    return !lost && performance.now() < until.monotonic && Date.now() < until.wall
  }

  async function register(): Promise<void> {
    await options.onJoin(self.id)
    const asked = { monotonic: performance.now(), wall: Date.now() }
    await leaseDb
      .insertInto('node')
      .values({
        id: self.id,
        url: self.url,
        place: self.place,
        labels: JSON.stringify(self.labels),
        version: self.version,
        started_at: self.startedAt,
        until: sql<number>`${databaseNow} + ${leaseMs}::bigint`,
        draining: self.draining ? 1 : 0,
      })
      .execute()
    extend(asked)
  }

  /** Counts from before the request, so that this side always gives up first. */
  function extend(asked: { monotonic: number; wall: number }): void {
    until = { monotonic: asked.monotonic + leaseMs, wall: asked.wall + leaseMs }
  }

  async function beat(work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      await delay(beatMs, undefined, { signal: stop.signal }).catch(() => undefined)
      if (stop.signal.aborted) return
      checkValid()
      try {
        await work()
      } catch (error) {
        checkValid()
        logger({ level: 'warn', message: 'the cluster did not answer', error: String(error) })
      }
    }
  }

  async function renewOrRejoin(): Promise<void> {
    if (lost) await rejoin()
    else if (!(await renew())) lose()
  }

  async function watchOthers(): Promise<void> {
    await refresh()
    await bury()
  }

  async function renew(): Promise<boolean> {
    const asked = { monotonic: performance.now(), wall: Date.now() }
    const row = await leaseDb
      .updateTable('node')
      .set({ until: sql<number>`${databaseNow} + ${leaseMs}::bigint` })
      .where('id', '=', self.id)
      .where('until', '>', databaseNow)
      .returning('id')
      .executeTakeFirst()
    if (row !== undefined) extend(asked)
    return row !== undefined
  }

  function lose(): void {
    if (lost || beating === undefined) return
    lost = true
    logger({ level: 'warn', message: 'the lease of this node ran out', node: self.id })
    options.onLost()
  }

  /** With a new id, so that nothing of the old lease counts as alive. */
  async function rejoin(): Promise<void> {
    self.id = newNodeId()
    self.startedAt = Date.now()
    await register()
    lost = false
  }

  async function refresh(): Promise<void> {
    const rows = await db.selectFrom('node').selectAll().where('until', '>', databaseNow).execute()
    known = new Map(rows.map((row) => [row.id, toNode(row)]))
  }

  /** Gives the work of dead nodes to others. Nodes that find the same death wait for each other. */
  async function bury(): Promise<void> {
    const dead = await db.selectFrom('node').select('id').where('until', '<=', databaseNow).execute()
    for (const { id } of dead) {
      const buried = await db.transaction().execute(async (transaction) => {
        const row = await lockNode(transaction, id)
        if (row !== undefined) await remove(toNode(row), transaction)
        return row !== undefined
      })
      if (!buried) continue
      logger({ level: 'warn', message: 'a node did not renew its lease', node: id })
      options.onReassigned()
    }
  }

  async function remove(node: NodeInfo, transaction: Kysely<ClusterTables>): Promise<void> {
    await options.onDeath(node, transaction)
    await transaction.deleteFrom('node').where('id', '=', node.id).execute()
  }
}

function nodeLost(data: { hasWaited?: true } = {}): NamedError {
  return new NamedError('NodeLost', 'This server lost its place in the cluster. Try again.', { status: 503, data })
}

function newNodeId(): string {
  return newId('node_')
}

function lockNode(db: Kysely<ClusterTables>, id: string): Promise<ClusterTables['node'] | undefined> {
  return db
    .selectFrom('node')
    .selectAll()
    .where('id', '=', id)
    .where('until', '<=', databaseNow)
    .forUpdate()
    .executeTakeFirst()
}

function toNode(row: ClusterTables['node']): NodeInfo {
  return {
    id: row.id,
    url: row.url,
    place: row.place,
    labels: JSON.parse(row.labels) as string[],
    version: row.version,
    startedAt: row.started_at,
    draining: row.draining === 1,
  }
}

import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type Db as BossDatabase, fromKysely, PgBoss } from 'pg-boss'
import type { Engine, EngineOptions, TakenTurn } from './engine.ts'
import type { ClusterTables } from './tables.ts'

/** A turn waits for days if a place has no node. */
const queueOptions = { retentionSeconds: 14 * 24 * 60 * 60, deleteAfterSeconds: 60 }

/**
 * Turns as jobs of pg-boss. A job in the queue of a node is what that node works on; a job in the queue of a place is
 * what any node there may take up. Jobs only move from one queue to another inside a transaction, so each turn has
 * one entry. No job is fetched to be worked on, so a late node can complete nothing that was given away.
 */
export async function openPgBossEngine(options: EngineOptions): Promise<Engine> {
  const { url, inTransaction, place, logger, transactionOf } = options
  const boss = new PgBoss({
    connectionString: url,
    max: 3,
    application_name: 'troupe queue',
    monitorIntervalSeconds: 60,
    cronMonitorIntervalSeconds: 10,
  })
  boss.on('error', (error) => logger({ level: 'warn', message: 'the queue reported an error', error: String(error) }))
  await boss.start()
  await boss.createQueue(placeQueue(place), queueOptions)
  const places = new Set([place])
  /** Queues of nodes that are gone. */
  const released = new Set<string>()
  let own = ''

  return {
    async join(nodeId) {
      await boss.createQueue(nodeQueue(nodeId), queueOptions)
      own = nodeQueue(nodeId)
    },
    begin: (sessionId, inside) => send(own, sessionId, fromKysely(transactionOf(inside))),
    async end(ids) {
      if (ids.length > 0) await boss.complete(own, [...ids], null, { includeQueued: true })
    },
    async offer(turn, inside) {
      await ensurePlace(turn.place)
      await send(placeQueue(turn.place), turn.sessionId, fromKysely(transactionOf(inside)))
    },
    async release(node, transaction) {
      const db = fromKysely(transaction as Kysely<ClusterTables>)
      const queue = nodeQueue(node.id)
      if ((await boss.getQueue(queue)) === null) return
      await ensurePlace(node.place)
      const jobs = await boss.findJobs<TurnData>(queue, { queued: true, db })
      released.add(queue)
      if (jobs.length === 0) return
      await sendAll(placeQueue(node.place), jobs, db)
      const ids = jobs.map(({ id }) => id)
      await boss.complete(queue, ids, null, { includeQueued: true, db })
    },
    async take(limit) {
      await dropReleased()
      return inTransaction(async (transaction) => {
        const db = fromKysely(transaction)
        const jobs = await boss.fetch<TurnData>(placeQueue(place), { batchSize: limit, db })
        if (jobs.length === 0) return []
        const taken = await sendAll(own, jobs, db)
        await boss.complete(placeQueue(place), jobs, null, { db })
        return taken
      })
    },
    async begun() {
      const jobs = await boss.findJobs<TurnData>(own, { queued: true })
      return jobs.map(({ id, data: { sessionId } }) => ({ id, sessionId }))
    },
    async depth() {
      const queues = (await boss.getQueues()).filter(({ name }) => name.startsWith(placePrefix))
      const waiting = queues.map(async ({ name }) => {
        const jobs = await boss.findJobs(name, { queued: true })
        return [name.slice(placePrefix.length), jobs.length] as const
      })
      return Object.fromEntries(await Promise.all(waiting))
    },
    async schedule(name, cron, handler) {
      const queue = `schedule.${name}`
      await boss.createQueue(queue, { policy: 'short', retryLimit: 0 })
      await boss.schedule(queue, cron)
      await boss.work(queue, { pollingIntervalSeconds: 2 }, handler)
    },
    close: () => boss.stop({ graceful: false }),
  }

  async function send(queue: string, sessionId: string, db: BossDatabase): Promise<string> {
    const id = await boss.send(queue, { sessionId } satisfies TurnData, { db })
    if (id === null) throw new Error('The queue did not accept a turn.')
    return id
  }

  async function sendAll(queue: string, jobs: readonly { data: TurnData }[], db: BossDatabase): Promise<TakenTurn[]> {
    const sent = jobs.map(({ data: { sessionId } }) => ({ id: randomUUID(), data: { sessionId } satisfies TurnData }))
    await boss.insert(queue, sent, { db })
    return sent.map(({ id, data: { sessionId } }) => ({ id, sessionId }))
  }

  /** A queue that still has turns is one whose release is not committed. */
  async function dropReleased(): Promise<void> {
    for (const queue of released) {
      if ((await boss.findJobs(queue, { queued: true })).length > 0) continue
      await boss.deleteQueue(queue)
      released.delete(queue)
    }
  }

  async function ensurePlace(name: string): Promise<void> {
    if (places.has(name)) return
    await boss.createQueue(placeQueue(name), queueOptions)
    places.add(name)
  }
}

interface TurnData {
  sessionId: string
}

const placePrefix = 'place.'

function placeQueue(place: string): string {
  return `${placePrefix}${place}`
}

function nodeQueue(id: string): string {
  return `node.${id}`
}

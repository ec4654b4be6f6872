import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { BackendPostgres } from 'openworkflow/postgres'
import { z } from 'zod'
import type { Engine, EngineOptions, TakenTurn } from '../engine.ts'
import type { ClusterTables } from '../tables.ts'

/** A claim lasts this long. Taking up a turn takes a moment. */
const claimMs = 5000
const pollMs = 500
const inputSchema = z.object({ entryId: z.string() })

/**
 * Turns on OpenWorkflow, to compare engines; never part of what users install. Its runs cannot be created in our
 * transaction, so `turn_entry` is an outbox: it says who works on what, and entries that were given to a place become
 * workflow runs in the namespace of the place. A node claims such a run, moves the entry to itself, and completes the
 * run. A run that was created twice finds that its entry has moved.
 */
export async function openWorkflowEngine(options: EngineOptions): Promise<Engine> {
  const { url, place, inTransaction, transactionOf, logger } = options
  // Several nodes that migrate an empty database at once crash each other.
  const backend = await inTransaction(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('open workflow'))`.execute(transaction)
    await sql`create table if not exists turn_entry (
      id text primary key, session_id text not null, queue text not null, sent integer not null)`.execute(transaction)
    return BackendPostgres.connect(url, { namespaceId: placeQueue(place) })
  })
  const worker = randomUUID()
  const schedules: NodeJS.Timeout[] = []
  let own = ''

  return {
    join(nodeId) {
      own = nodeQueue(nodeId)
      return Promise.resolve()
    },
    begin: (sessionId, inside) => insert(transactionOf(inside), sessionId, own),
    async end(ids) {
      const { length } = ids
      if (length > 0)
        await inTransaction((db) =>
          sql`delete from turn_entry where id = any(${ids}::text[]) and queue = ${own}`.execute(db),
        )
    },
    async offer(turn, inside) {
      await insert(transactionOf(inside), turn.sessionId, placeQueue(turn.place))
    },
    async release(node, transaction) {
      await sql`update turn_entry set queue = ${placeQueue(node.place)}, sent = 0
        where queue = ${nodeQueue(node.id)}`.execute(transaction as Kysely<ClusterTables>)
    },
    async take(limit) {
      await sendOffered()
      const taken: TakenTurn[] = []
      while (taken.length < limit) {
        const run = await backend.claimWorkflowRun({ workerId: worker, leaseDurationMs: claimMs })
        if (run === null) break
        const { entryId } = inputSchema.parse(run.input)
        taken.push(...(await moveHere(entryId)))
        await backend.completeWorkflowRun({ workflowRunId: run.id, workerId: worker, output: null })
      }
      return taken
    },
    begun: () => entriesOf(own),
    async depth() {
      return { [place]: (await entriesOf(placeQueue(place))).length }
    },
    /** It has no cron: every node creates the run of a minute, and the first one's key wins. */
    async schedule(name, cron, handler) {
      if (cron !== '* * * * *') throw new Error('Only a schedule of each minute was tried.')
      const namespaceId = `schedule.${name}`
      const queue = await BackendPostgres.connect(url, { namespaceId, runMigrations: false })
      let busy = false
      const tick = async (): Promise<void> => {
        if (busy) return
        busy = true
        const key = `${name} ${Math.floor(Date.now() / 60_000)}`
        await create(queue, key, { entryId: key })
        const run = await queue.claimWorkflowRun({ workerId: worker, leaseDurationMs: claimMs })
        if (run !== null) {
          await handler()
          await queue.completeWorkflowRun({ workflowRunId: run.id, workerId: worker, output: null })
        }
        busy = false
      }
      const report = (error: unknown): void => {
        busy = false
        logger({ level: 'warn', message: 'the queue reported an error', error: String(error) })
      }
      schedules.push(setInterval(() => void tick().catch(report), pollMs).unref())
    },
    async close() {
      for (const timer of schedules) clearInterval(timer)
      await backend.stop()
    },
  }

  async function insert(db: Kysely<ClusterTables>, sessionId: string, queue: string): Promise<string> {
    const id = randomUUID()
    await sql`insert into turn_entry (id, session_id, queue, sent) values (${id}, ${sessionId}, ${queue}, 0)`.execute(
      db,
    )
    return id
  }

  /** After a crash between the two statements, the run is created again. */
  async function sendOffered(): Promise<void> {
    const offered = await inTransaction((db) =>
      sql<{ id: string }>`select id from turn_entry where queue = ${placeQueue(place)} and sent = 0`.execute(db),
    )
    for (const { id } of offered.rows) {
      await create(backend, randomUUID(), { entryId: id })
      await inTransaction((db) =>
        sql`update turn_entry set sent = 1 where id = ${id} and queue = ${placeQueue(place)}`.execute(db),
      )
    }
  }

  async function moveHere(entryId: string): Promise<TakenTurn[]> {
    const { rows } = await inTransaction((db) =>
      sql<{ session_id: string }>`update turn_entry set queue = ${own}
        where id = ${entryId} and queue = ${placeQueue(place)} returning session_id`.execute(db),
    )
    return rows.map(({ session_id }) => ({ id: entryId, sessionId: session_id }))
  }

  async function entriesOf(queue: string): Promise<TakenTurn[]> {
    const { rows } = await inTransaction((db) =>
      sql<{ id: string; session_id: string }>`select id, session_id from turn_entry where queue = ${queue}`.execute(db),
    )
    return rows.map(({ id, session_id }) => ({ id, sessionId: session_id }))
  }
}

async function create(backend: BackendPostgres, key: string, input: { entryId: string }): Promise<void> {
  await backend.createWorkflowRun({
    workflowName: 'turn',
    version: null,
    idempotencyKey: key,
    config: {},
    context: null,
    input,
    parentStepAttemptNamespaceId: null,
    parentStepAttemptId: null,
    availableAt: null,
    deadlineAt: null,
  })
}

function placeQueue(place: string): string {
  return `place.${place}`
}

function nodeQueue(id: string): string {
  return `node.${id}`
}

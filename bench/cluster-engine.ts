import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@troupe/core'
import type { Engine, OpenEngine } from '../packages/server/src/cluster/engine.ts'
import { openPostgresStore, type PostgresStore } from '../packages/server/src/stores/postgres/open-postgres.ts'
import { transactionOf } from '../packages/server/src/stores/sql/sql-store.ts'
import { openDatabase } from './cluster-setup.ts'
import { median } from './measure.ts'

const count = 300

export async function engineNamed(name: 'pg-boss' | 'openworkflow'): Promise<OpenEngine> {
  if (name === 'pg-boss') return (await import('../packages/server/src/cluster/pg-boss-engine.ts')).openPgBossEngine
  return (await import('../packages/server/src/cluster/testing/open-workflow-engine.ts')).openWorkflowEngine
}

/**
 * Milliseconds to record a turn in the transaction of its message, to remove it, and for one turn of a dead node to be
 * released and taken.
 */
export async function measureEngine(open: OpenEngine): Promise<{ begin: number; end: number; handOver: number }> {
  return withEngines(open, 1, async ([engine], store) => {
    await engine.join('bench')
    // A turn begins in a transaction that stores its message in any case.
    const empty = await timed(() => store.transaction(async (inside) => inside.settings.set('nothing', Math.random())))
    const ids: string[] = []
    const begun = await timed(() =>
      store.transaction(async (inside) => {
        await inside.settings.set('nothing', Math.random())
        ids.push(await engine.begin('session', inside))
      }),
    )
    const ended = await timed(async () => engine.end([ids.pop() as string]))
    const moved: number[] = []
    for (let i = 0; i < 50; i++) {
      await engine.join(`dead-${i}`)
      await store.transaction((inside) => engine.begin('session', inside))
      await engine.join(`next-${i}`)
      const from = performance.now()
      await store.db.transaction().execute((db) => engine.release({ id: `dead-${i}`, place: 'bench' }, db))
      const taken = await engine.take(1)
      moved.push(performance.now() - from)
      await engine.end(taken.map(({ id }) => id))
    }
    return { begin: Math.max(0, begun - empty), end: ended, handOver: median(moved) }
  })
}

/** A schedule of each minute on three nodes, for two full minutes. `late` is the time after the full minute. */
export async function measureSchedule(open: OpenEngine): Promise<{ minutes: number; calls: number; late: number }> {
  const minutes = 2
  return withEngines(open, 3, async (engines) => {
    const calls: number[] = []
    // The minute that has begun counts for some engines and not for others.
    await sleep(60_500 - (Date.now() % 60_000))
    const from = Math.ceil(Date.now() / 60_000) * 60_000
    for (const engine of engines)
      await engine.schedule('trial', '* * * * *', () => Promise.resolve(void calls.push(Date.now())))
    await sleep(from + minutes * 60_000 - 1000 - Date.now())
    const due = calls.filter((time) => time >= from)
    return { minutes, calls: due.length, late: Math.max(0, ...due.map((time) => time % 60_000)) }
  })
}

async function withEngines<T>(
  open: OpenEngine,
  count: number,
  work: (engines: [Engine, ...Engine[]], store: PostgresStore) => Promise<T>,
): Promise<T> {
  const database = await openDatabase()
  const store = await openPostgresStore({ url: database.url })
  const openOne = (): Promise<Engine> =>
    open({
      url: database.url,
      inTransaction: (inside) => store.db.transaction().execute((transaction) => inside(transaction as never)),
      transactionOf: (inside: Store) => transactionOf(inside) as never,
      place: 'bench',
      logger: () => undefined,
    })
  const engines = [await openOne(), ...(await Promise.all(Array.from({ length: count - 1 }, openOne)))] as [Engine]
  try {
    return await work(engines, store)
  } finally {
    await Promise.all(engines.map((engine) => engine.close()))
    await store.close()
    await database.close()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let i = 0; i < count; i++) {
    const begun = performance.now()
    await work()
    all.push(performance.now() - begun)
  }
  return median(all)
}

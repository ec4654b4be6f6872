import type { Store } from '@troupe/core'
import { openPgBossEngine } from '../packages/server/src/cluster/pg-boss-engine.ts'
import { openPostgresStore } from '../packages/server/src/stores/postgres/open-postgres.ts'
import { transactionOf } from '../packages/server/src/stores/sql/sql-store.ts'
import { openDatabase } from './cluster-setup.ts'
import { median } from './measure.ts'

const count = 300

/** Milliseconds to record a turn in the transaction of its message, and to remove it. */
export async function measureEngine(): Promise<{ begin: number; end: number }> {
  const database = await openDatabase()
  const store = await openPostgresStore({ url: database.url })
  const engine = await openPgBossEngine({
    url: database.url,
    inTransaction: (work) => store.db.transaction().execute((transaction) => work(transaction as never)),
    transactionOf: (inside: Store) => transactionOf(inside) as never,
    place: 'bench',
    logger: () => undefined,
  })
  try {
    await engine.join('bench')
    const empty = await timed(() => store.transaction(async (inside) => void (await inside.settings.get('nothing'))))
    const ids: string[] = []
    const begun = await timed(() =>
      store.transaction(async (inside) => {
        await inside.settings.get('nothing')
        ids.push(await engine.begin('session', inside))
      }),
    )
    const ended = await timed(async () => engine.end([ids.pop() as string]))
    return { begin: Math.max(0, begun - empty), end: ended }
  } finally {
    await engine.close()
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

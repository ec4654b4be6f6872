import type { Store } from '@troupe/core'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../stores/postgres/open-postgres.ts'
import { transactionOf } from '../stores/sql/sql-store.ts'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import type { Engine, OpenEngine } from './engine.ts'
import { openPgBossEngine } from './pg-boss-engine.ts'
import type { ClusterTables } from './tables.ts'
import { openWorkflowEngine } from './testing/open-workflow-engine.ts'

const engines: [string, OpenEngine][] = [
  ['pg-boss', openPgBossEngine],
  ['OpenWorkflow', openWorkflowEngine],
]

/** The other half of the contract is `crash/nodes.test.ts`, which kills and pauses nodes with real runs. */
describe.skipIf(!hasPostgres).each(engines)('turns on %s', (_, openEngine) => {
  let store: PostgresStore
  let nodes: [Engine, Engine, Engine]
  const [a, b] = [
    { id: 'a', place: 'main' },
    { id: 'b', place: 'main' },
  ]

  beforeAll(async () => {
    const url = await createTestDatabase()
    store = await openPostgresStore({ url })
    const db = store.db as unknown as Kysely<ClusterTables>
    const open = (): Promise<Engine> =>
      openEngine({
        url,
        inTransaction: (work) => db.transaction().execute(work),
        transactionOf: (inside: Store) => transactionOf(inside) as unknown as Kysely<ClusterTables>,
        place: 'main',
        logger: () => undefined,
      })
    // All of them find an empty database.
    nodes = await Promise.all([open(), open(), open()])
    await Promise.all(nodes.map((node, i) => node.join('abc'[i] as string)))
  })

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await store.close()
  })

  it('belong to a transaction, and to the node that began them', async () => {
    const [first, second] = nodes
    const undone = store.transaction(async (inside) => {
      await first.begin('undone', inside)
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    const id = await store.transaction((inside) => first.begin('s1', inside))
    expect(await first.begun()).toEqual([{ id, sessionId: 's1' }])
    expect([await second.begun(), await second.take(10)]).toEqual([[], []])
    await first.end([id])
    expect(await first.begun()).toEqual([])
  })

  it('move to the place of a dead node, where each is taken once, and the dead node ends none of them', async () => {
    const [first, second, third] = nodes
    const sessions = ['s1', 's2', 's3', 's4', 's5']
    const ids: string[] = []
    for (const session of sessions) ids.push(await store.transaction((inside) => first.begin(session, inside)))
    await store.db.transaction().execute((transaction) => first.release(a, transaction))
    expect(await third.depth()).toMatchObject({ main: 5 })
    await first.end(ids)
    const taken = (await Promise.all([second.take(10), third.take(10)])).flat()
    expect(taken.map(({ sessionId }) => sessionId).toSorted()).toEqual(sessions)
    expect((await Promise.all([second.begun(), third.begun()])).flat()).toHaveLength(5)
    await first.end(taken.map(({ id }) => id))
    expect((await Promise.all([second.begun(), third.begun()])).flat()).toHaveLength(5)
    await store.transaction((inside) => first.offer({ sessionId: 's6', place: 'main' }, inside))
    await store.db.transaction().execute((transaction) => first.release(b, transaction))
    expect((await third.take(10)).map(({ sessionId }) => sessionId)).toContain('s6')
    expect(await second.begun()).toEqual([])
  })
})

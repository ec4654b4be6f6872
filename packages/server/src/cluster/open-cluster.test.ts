import type { Store } from '@troupe/core'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RunManager } from '../runs/run-manager.ts'
import { openPostgresStore, type PostgresStore } from '../stores/postgres/open-postgres.ts'
import { transactionOf } from '../stores/sql/sql-store.ts'
import { message, runRecord } from '../stores/testing/builders.ts'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { type Cluster, openCluster } from './open-cluster.ts'
import { openPgBossEngine } from './pg-boss-engine.ts'
import type { ClusterTables } from './tables.ts'

/** A node whose runs only note what they are told. */
interface TestNode {
  cluster: Cluster
  runs: Pick<RunManager, 'recover' | 'stop' | 'abandon' | 'states'>
  close(): Promise<void>
}

describe.skipIf(!hasPostgres)('a cluster of two nodes', () => {
  let url: string
  let store: PostgresStore
  let a: TestNode
  let b: TestNode

  beforeEach(async () => {
    url = await createTestDatabase()
    store = await openPostgresStore({ url })
    ;[a, b] = [await open(), await open()]
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.sessions.create({ id: 's1', workspaceId })
    await store.messages.add({ sessionId: 's1' }, message('u1', null, 'hello'))
    await a.cluster.adopt('s1')
    await a.cluster.store.transaction(async (inside) => {
      await inside.runs.put(runRecord('r1', 's1', { userMessageId: 'u1' }))
      await a.cluster.turns.begin('s1', inside)
    })
  })

  afterEach(async () => {
    await Promise.all([a.close(), b.close()])
    await store.close()
  })

  async function open(): Promise<TestNode> {
    const own = await openPostgresStore({ url })
    const db = own.db as unknown as Kysely<ClusterTables>
    const options = {
      url,
      db,
      store: own,
      transactionOf: (inside: Store) => transactionOf(inside) as unknown as Kysely<ClusterTables>,
      inTransaction: <T>(work: (transaction: Kysely<ClusterTables>) => Promise<T>) => db.transaction().execute(work),
      place: 'main',
      logger: () => undefined,
    }
    const engine = await openPgBossEngine(options)
    const self = { place: 'main', labels: [], version: '1' }
    const cluster = await openCluster({ ...options, engine, self, beatMs: 100 })
    const runs = {
      recover: vi.fn<RunManager['recover']>(() => Promise.resolve()),
      abandon: vi.fn<RunManager['abandon']>(),
      states: vi.fn<RunManager['states']>(() => Promise.resolve(new Map([['s1', [{} as never]]]))),
      async stop(sessionId: string) {
        await cluster.store.runs.put(runRecord('r1', sessionId, { userMessageId: 'u1', status: 'aborted', endedAt: 1 }))
        return undefined
      },
    }
    await cluster.join('http://127.0.0.1:1', runs as unknown as RunManager)
    return {
      cluster,
      runs,
      async close() {
        await cluster.close()
        await own.close()
      },
    }
  }

  it('stops the runs of a chat from any node', async () => {
    await b.cluster.stop('s1')
    expect(await store.runs.get('r1')).toMatchObject({ status: 'aborted' })
    expect(a.cluster.leases.fenceOf('s1')).toBeDefined()
    expect(b.cluster.leases.fenceOf('s1')).toBeUndefined()
  })

  it('abandons a chat whose database failed, and takes it up again with its turn', async () => {
    const turns = await a.cluster.engine.begun()
    const fence = a.cluster.leases.fenceOf('s1') as number
    vi.mocked(a.runs.recover).mockRejectedValueOnce(new Error('not yet'))
    a.cluster.suspend('s1')
    expect(a.runs.abandon).toHaveBeenCalledWith('s1')
    expect(() => a.cluster.turns.assertHeld('s1')).toThrow(expect.objectContaining({ name: 'NotHere' }))
    await vi.waitFor(() => expect(a.runs.recover).toHaveBeenCalledTimes(2), { timeout: 20_000 })
    expect(a.cluster.leases.fenceOf('s1')).toBe(fence + 2)
    expect(await a.cluster.engine.begun()).toEqual(turns)
  })

  it('sends a turn that a lost node begins to another, also if its queue is gone', async () => {
    vi.spyOn(a.cluster.engine, 'begin').mockImplementationOnce(() => {
      const now = Date.now()
      vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
      return Promise.reject(new Error('The queue does not exist.'))
    })
    const begun = a.cluster.store.transaction((inside) => a.cluster.turns.begin('s1', inside))
    await expect(begun).rejects.toMatchObject({ name: 'NotHere' })
    vi.restoreAllMocks()
  })

  it('ends no turn of a message that arrives while an offered turn of the same chat is taken', async () => {
    await b.close()
    b.close = () => Promise.resolve()
    const turns = await a.cluster.engine.begun()
    // The run of the message is not open yet.
    vi.mocked(a.runs.states).mockResolvedValue(new Map())
    await store.transaction((inside) => a.cluster.engine.offer({ sessionId: 's1', place: 'main' }, inside))
    await vi.waitFor(() => expect(a.runs.states).toHaveBeenCalled(), { timeout: 20_000 })
    await vi.waitFor(async () => expect(await a.cluster.engine.begun()).toEqual(turns), { timeout: 20_000 })
  })

  it('leaves no turn behind when a node closes without having handed it over', async () => {
    await a.cluster.close()
    await vi.waitFor(() => expect(b.runs.recover).toHaveBeenCalledWith('s1'), { timeout: 20_000 })
    expect(await b.cluster.engine.begun()).toMatchObject([{ sessionId: 's1' }])
    a.close = () => Promise.resolve()
  })
})

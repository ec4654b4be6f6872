import { NamedError } from '@troupe/protocol'
import type { Kysely, KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../stores/postgres/open-postgres.ts'
import { transactionOf } from '../stores/sql/sql-store.ts'
import { ask, message, runRecord, textFrame } from '../stores/testing/builders.ts'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { fenceStore } from './fenced-store.ts'
import { createNodes, type Nodes } from './nodes.ts'
import { createSessionLeases, type SessionLeases } from './session-leases.ts'
import type { ClusterTables } from './tables.ts'

interface TestNode {
  nodes: Nodes
  leases: SessionLeases
  store: PostgresStore
  onLost: Mock<() => void>
}

describe.skipIf(!hasPostgres)('two nodes on one database', () => {
  let database: PostgresStore
  let a: TestNode
  let b: TestNode
  /** Statements whose answer gets lost. */
  let unanswered = 0

  beforeEach(async () => {
    database = await openPostgresStore({ url: await createTestDatabase() })
    a = await open()
    b = await open()
    const { id: workspaceId } = await database.workspaces.open('/tmp/one')
    await database.sessions.create({ id: 's1', workspaceId })
    await a.leases.claim('s1')
    await a.store.messages.add({ sessionId: 's1' }, message('u1', null, 'hello'))
    await a.store.runs.put(runRecord('r1', 's1', { userMessageId: 'u1' }))
  })

  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all([a, b].map(({ nodes }) => nodes.close()))
    await database.close()
  })

  async function open(): Promise<TestNode> {
    const losing: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (unanswered === 0) return result
        unanswered--
        throw new NamedError('DatabaseUnavailable', 'cut', { status: 503, data: { isSent: true } })
      },
    }
    const db = database.db as unknown as Kysely<ClusterTables>
    const onLost = vi.fn<() => void>()
    const nodes = createNodes({
      db,
      self: { place: 'main', labels: [], version: '1' },
      logger: () => undefined,
      beatMs: 20,
      onJoin: () => Promise.resolve(),
      onLost,
      onDeath: () => Promise.resolve(),
      onReassigned: () => undefined,
    })
    await nodes.join('http://127.0.0.1:1')
    const leases = createSessionLeases(db, nodes)
    const store = fenceStore(database, {
      db: db.withPlugin(losing),
      leases,
      nodes,
      nodeId: () => nodes.self.id,
      transactionOf: (inside) => transactionOf(inside) as unknown as Kysely<ClusterTables>,
      onFenced: (sessionId) => leases.lose(sessionId),
    })
    return { nodes, leases, store, onLost }
  }

  it('claim a chat: one of them gets it, and both know which', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `free-${i}`)
    const holders = await Promise.all(ids.map((id) => Promise.all([a.leases.claim(id), b.leases.claim(id)])))
    for (const [i, [one, other]] of holders.entries()) {
      expect(one).toBe(other)
      expect([a, b].filter(({ leases }) => leases.fenceOf(ids[i] as string) !== undefined)).toHaveLength(1)
    }
  })

  it('store frames once, also if the answer of the database is lost', async () => {
    const frames = [textFrame('r1', 0, 0, 'hello'), textFrame('r1', 1, 5, ' world')]
    unanswered = 1
    expect(await a.store.frames.append(frames)).toEqual([])
    expect(await database.frames.read('r1')).toEqual(frames)
    expect(await b.store.frames.append([textFrame('r1', 2, 11, 'late')])).toEqual(['r1'])
    expect(await database.frames.read('r1')).toHaveLength(2)
  })

  it('refuse what was under way when the chat was lost, also after it was claimed again', async () => {
    const began = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = a.store.transaction(async (inside) => {
      began.resolve()
      await goOn.promise
      await inside.runs.put(runRecord('r1', 's1', { userMessageId: 'u1', status: 'failed', endedAt: 1 }))
    })
    await began.promise
    const fence = a.leases.fenceOf('s1') as number
    a.leases.lose('s1')
    expect(await a.leases.claim('s1')).toBe(a.nodes.self.id)
    expect(a.leases.fenceOf('s1')).toBe(fence + 1)
    goOn.resolve()
    await expect(late).rejects.toMatchObject({ name: 'NotHere' })
    await a.store.runs.put(runRecord('r1', 's1', { userMessageId: 'u1', status: 'waiting' }))
    expect(await database.runs.get('r1')).toMatchObject({ status: 'waiting', endedAt: null })
  })

  it('accept an answer only where the run waits for it, or while no node has the chat', async () => {
    await a.store.asks.open(ask('ask_1', 's1', { runId: 'r1' }))
    await expect(b.store.asks.answer('ask_1', { type: 'approve' })).rejects.toMatchObject({ name: 'NotHere' })
    const also = b.store.transaction((inside) => inside.asks.answer('ask_1', { type: 'approve' }))
    await expect(also).rejects.toMatchObject({ name: 'NotHere' })
    await expect(b.store.asks.close('ask_1')).rejects.toMatchObject({ name: 'NotHere' })
    expect(await database.asks.get('ask_1')).toMatchObject({ closedAt: null })
    await a.leases.release(['s1'])
    expect(await b.store.asks.answer('ask_1', { type: 'approve' })).toMatchObject({ answer: { type: 'approve' } })
    await expect(b.store.asks.answer('ask_2', { type: 'approve' })).rejects.toMatchObject({ name: 'AskNotFound' })
  })

  it('depend on no clock but that of the database: a node whose clock jumps joins again under another id', async () => {
    const [id, now] = [a.nodes.self.id, Date.now]
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 5 * 60_000)
    await vi.waitFor(() => expect(a.onLost).toHaveBeenCalledOnce())
    await vi.waitFor(() => expect(a.nodes.isValid() && b.nodes.isValid()).toBe(true))
    expect(a.nodes.self.id).not.toBe(id)
    vi.restoreAllMocks()
    expect(a.nodes.isValid()).toBe(true)
    expect(await a.store.frames.append([textFrame('r1', 0, 0, 'late')])).toEqual(['r1'])
  })
})

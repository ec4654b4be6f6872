import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type CompiledQuery, Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { createSqliteSearch, sqliteSearchMigrations } from '../sqlite-search.ts'
import { nodeSqliteDialect, openSqliteStore, type SqliteStore } from '../sqlite.ts'
import { message } from '../testing/builders.ts'
import { type LogLine, messageColumns } from './context.ts'
import type { Tables } from './tables.ts'
import { createLocalSignals } from './signals.ts'
import { createSqlStore } from './sql-store.ts'

const at = { sessionId: 's1' }

describe('trees that no program should have made', () => {
  let home: string
  let store: SqliteStore
  let log: LogLine[]
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'troupe-branches-'))
    log = []
    store = await openSqliteStore({ home, log: (line) => log.push(line) })
  })
  afterEach(async () => {
    await store.close()
    rmSync(home, { recursive: true })
  })

  async function restore(links: Record<string, string | null>): Promise<void> {
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.restore({
      session: {
        id: 's1',
        workspaceId,
        projectId: null,
        title: 'Odd',
        renamed: false,
        pinned: false,
        archived: false,
        folderId: null,
        trashedAt: null,
        model: null,
        agent: null,
        mode: 'default',
        rules: [],
        createdAt: 1,
        updatedAt: 1,
      },
      agents: [],
      messages: Object.entries(links).map(([id, parent]) => ({ agentId: '', message: message(id, parent) })),
      asks: [],
    })
  }
  const ids = (messages: { id: string }[]) => messages.map((one) => one.id)

  it('a cycle is walked once, logged, and shown among the orphans', async () => {
    await restore({ u1: null, a1: 'u1', x: 'z', y: 'x', z: 'y', below: 'y' })
    expect(ids(await store.messages.chain(at, 'z'))).toEqual(['x', 'y', 'z'])
    expect(log).toMatchObject([{ level: 'warn', message: expect.stringContaining('cycle') as string, sessionId: 's1' }])
    expect(ids((await store.messages.branch(at, { leaf: 'below' })).messages)).toEqual(['z', 'x', 'y', 'below'])
    expect(ids(await store.messages.strays(at))).toEqual(['x', 'y', 'z', 'below'])
    expect(await store.messages.latestLeaf(at, 'x')).toBe('below')
    expect(await store.messages.remove(at, 'x')).toEqual(['x', 'y', 'z', 'below'])
    expect(await store.messages.strays(at)).toEqual([])
    expect(ids((await store.messages.branch(at)).messages)).toEqual(['u1', 'a1'])
  })

  it('a conversation that is all cycle is still shown', async () => {
    await restore({ x: 'y', y: 'x', own: 'own' })
    expect(await store.messages.latestLeaf(at)).toBe('own')
    expect(ids((await store.messages.branch(at)).messages)).toEqual(['own'])
    expect(ids((await store.messages.branch(at, { leaf: 'y' })).messages)).toEqual(['x', 'y'])
    expect(ids(await store.messages.strays(at))).toEqual(['x', 'y', 'own'])
  })

  it('a message with a missing parent starts its own branch', async () => {
    await restore({ u1: null, a1: 'u1', u2: 'lost', a2: 'u2', u2b: 'lost' })
    expect(ids(await store.messages.chain(at, 'a2'))).toEqual(['u2', 'a2'])
    const branch = await store.messages.branch(at, { leaf: 'a2' })
    expect(branch.siblings['u2']).toEqual({ index: 1, total: 2, prev: null, next: 'u2b' })
    expect(ids(await store.messages.strays(at))).toEqual(['u2', 'a2', 'u2b'])
    expect((await store.sessions.get('s1'))?.messageCount).toBe(5)
  })
})

describe('a branch of a large tree', () => {
  it('is read only through indexes, for trees of any size', async () => {
    const database = new DatabaseSync(':memory:')
    const queries: CompiledQuery[] = []
    const db = new Kysely<Tables>({
      dialect: nodeSqliteDialect(database),
      log: (event) => void queries.push(event.query),
    })
    const clock = () => 1
    await migrate(db, { clock, dialectSteps: sqliteSearchMigrations, backup: () => undefined })
    const exporter = { beforeCommit: () => Promise.resolve(), afterCommit: () => Promise.resolve() }
    const [search, signals] = [createSqliteSearch(), createLocalSignals()]
    const store = createSqlStore({ db, search, exporter, signals, clock, log: () => undefined })
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.sessions.create({ id: 's1', workspaceId })
    const tree = Array.from({ length: 10_000 }, (_, i) => ({
      session_id: 's1',
      agent_id: '',
      seq: i + 1,
      ...messageColumns(message(`u${i}`, parentOf(i), `text ${i}`, { createdAt: i })),
    }))
    for (let i = 0; i < tree.length; i += 1000)
      await db
        .insertInto('message')
        .values(tree.slice(i, i + 1000))
        .execute()
    await db.updateTable('session').set({ seq: tree.length }).execute()

    queries.length = 0
    expect(await store.messages.chain(at, 'u49')).toHaveLength(50)
    const { messages, page } = await store.messages.branch(at, { leaf: 'u49', limit: 20 })
    expect([messages.length, page.hasMore, page.before]).toEqual([20, true, 'u30'])
    expect(await store.messages.latestLeaf(at)).toBe('u9999')
    expect(await store.messages.latestLeaf(at, 'u0')).toBe('u9999')
    await store.messages.add(at, message('new', 'u49'))
    const plans = queries.filter(({ sql }) => /\bmessage\b/.test(sql)).map((query) => plan(database, query))
    expect(plans.length).toBeGreaterThanOrEqual(5)
    // SCAN means a full table read, and a SEARCH by session alone reads the whole session. Only the walked rows may be
    // scanned. The newest leaf is first in the index.
    const costly = plans
      .flat()
      .filter(
        (step) => /^(SCAN|SEARCH)/.test(step) && !/^SCAN chain$|AND id=\?|parent_id=\?|INDEX message_order/.test(step),
      )
    expect(costly).toEqual([])

    const cpuOf = async (sessionId: string) => {
      const start = process.cpuUsage()
      for (let i = 0; i < 20; i++) await store.messages.branch({ sessionId }, { leaf: 'u49' })
      const used = process.cpuUsage(start)
      return used.user + used.system
    }
    await store.sessions.create({ id: 'alone', workspaceId })
    await store.transaction(async (inside) => {
      for (const one of await inside.messages.chain(at, 'u49')) await inside.messages.add({ sessionId: 'alone' }, one)
    })
    await cpuOf('alone')
    expect((await cpuOf('s1')) / (await cpuOf('alone'))).toBeLessThan(4)
    await store.close()
  })
})

/** A chain of fifty. All other messages are anywhere below it. */
function parentOf(i: number): string | null {
  if (i === 0) return null
  return i < 50 ? `u${i - 1}` : `u${Math.floor((((i * 7919) % 10_007) / 10_007) * i)}`
}

function plan(database: DatabaseSync, { sql, parameters }: CompiledQuery): string[] {
  const rows = database.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[]))
  return rows.map((row) => String(row['detail']))
}

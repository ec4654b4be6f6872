import type { Store } from '@troupe/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClearing, createTestDatabase, hasPostgres, query } from '../../testing/postgres.ts'
import { allSteps } from '../migrate.ts'
import type { LogLine } from '../sql/context.ts'
import type { SqlStore } from '../sql/sql-store.ts'
import { ask, message, runRecord } from '../testing/builders.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { openPostgresStore } from './open-postgres.ts'

describe.skipIf(!hasPostgres)('an empty database', () => {
  it('is set up once by three nodes that start together', async () => {
    const url = await createTestDatabase()
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url, max: 2 })))
    const opened = await Promise.all(stores.map((store) => store.workspaces.open('/tmp/one')))
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
    const versions = await query(url, 'select version from schema_version order by version')
    expect(versions.map(({ version }) => Number(version))).toEqual(allSteps.map((_, index) => index + 1))
    await Promise.all(stores.map((store) => store.close()))
  })

  it('is refused in another encoding', async () => {
    const url = await createTestDatabase(`encoding 'SQL_ASCII' locale 'C'`)
    await expect(openPostgresStore({ url })).rejects.toMatchObject({ name: 'WrongEncoding' })
  })

  it('is searched without its index where nobody may create the extension for it', async () => {
    const url = await createTestDatabase()
    await query(url, `create role plain_user login; grant all on schema public to plain_user`)
    const lines: LogLine[] = []
    const log = (line: LogLine) => void lines.push(line)
    const store = await openPostgresStore({ url: url.replace('troupe@', 'plain_user@'), log })
    expect(lines.map((line) => line.message)).toEqual([expect.stringContaining('create extension pg_trgm')])
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.sessions.create({ id: 's1', workspaceId })
    await store.messages.add({ sessionId: 's1' }, message('u1', null, 'a needle, 数据库'))
    for (const word of ['needle', '数据库', '据'])
      expect(await store.messages.search({ workspaceId, query: word })).toHaveLength(1)
    await store.close()
    lines.length = 0
    // Once an administrator did it, the next start adds the index.
    await query(url, 'create extension pg_trgm')
    await (await openPostgresStore({ url: url.replace('troupe@', 'plain_user@'), log })).close()
    expect(lines).toEqual([])
    expect(await query(url, `select to_regclass('message_text_trigrams') is null as missing`)).toEqual([
      { missing: false },
    ])
    await query(url, `drop owned by plain_user; drop role plain_user`)
  })

  it('searches and sorts alike in any locale, and says when search is slow', async () => {
    const url = await createTestDatabase(
      `encoding 'UTF8' locale_provider icu icu_locale 'en' lc_ctype 'C' lc_collate 'C'`,
    )
    const lines: LogLine[] = []
    const store = await openPostgresStore({ url, log: (line) => lines.push(line) })
    expect(lines.map((line) => line.message)).toEqual([expect.stringContaining('LC_CTYPE')])
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.sessions.create({ id: 's1', workspaceId })
    await store.messages.add({ sessionId: 's1' }, message('u1', null, '数据库迁移 Äpfel Привет'))
    for (const word of ['数据库迁', '数据', '移', 'APFEL', 'привет'])
      expect(await store.messages.search({ workspaceId, query: word })).toHaveLength(1)
    for (const name of ['b', 'A', 'a', 'B', '_']) await store.definitions.put({ workspaceId, name, data: {} })
    expect((await store.definitions.list(workspaceId)).map(({ name }) => name)).toEqual(['A', 'B', '_', 'a', 'b'])
    const entry = { model: 'm', folder: '/', calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1 }
    const tenth = { ...entry, cost: 0.1, unpricedTokens: 0 }
    await store.usage.add(['2026-10-31', '2026-11-01', '2026-11-30', '2026-12-01'].map((day) => ({ ...tenth, day })))
    await store.usage.add([{ ...tenth, day: '2026-11-01' }])
    expect(await store.usage.cost('2026-11')).toBe(0.1 + 0.1 + 0.1)
    await store.close()
  })
})

describe.skipIf(!hasPostgres)('a newer database', () => {
  const newer = (url: string, additive: 0 | 1) =>
    query(url, `insert into schema_version values (${allSteps.length + 1}, 1, ${additive})`)

  it('is refused, also by a node that is at work, unless it can be used unchanged', async () => {
    const url = await createTestDatabase()
    const store = await openPostgresStore({ url, max: 2 })
    await newer(url, 1)
    await store.settings.set('a', 1)
    await (await openPostgresStore({ url })).close()
    await query(url, 'update schema_version set additive = 0')
    const refused = { name: 'NewerDatabase', status: 409, data: { version: allSteps.length + 1 } }
    await expect(store.settings.set('a', 2)).rejects.toMatchObject(refused)
    await expect(openPostgresStore({ url })).rejects.toMatchObject(refused)
    expect(await store.settings.get('a')).toBe(1)
    await store.close()
  })

  it('is not changed under a transaction that began before', async () => {
    const url = await createTestDatabase()
    const store = await openPostgresStore({ url, max: 2 })
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const order: string[] = []
    const old = store.transaction(async (inside) => {
      began.resolve()
      await held
      await inside.settings.set('a', 1)
      order.push('written')
    })
    await began.promise
    const step = (on: typeof db) => sql`alter table setting rename column value to content`.execute(on)
    const steps = [...allSteps, async (on: typeof db) => void (await step(on))]
    const migrated = migratePostgres(db, { clock: () => 1, steps }).then(() => order.push('migrated'))
    await waitsForLock(url)
    goOn()
    await Promise.all([old, migrated])
    expect(order).toEqual(['written', 'migrated'])
    await expect(store.settings.set('a', 2)).rejects.toMatchObject({ name: 'NewerDatabase' })
    await store.close()
    await db.destroy()
  })
})

describe.skipIf(!hasPostgres)('two nodes', () => {
  let url: string
  let nodes: SqlStore[]
  let one: Store
  let two: Store
  let clearing: Awaited<ReturnType<typeof createClearing>>
  let workspaceId: string

  beforeAll(async () => {
    url = await createTestDatabase()
    nodes = [await openPostgresStore({ url, max: 3 }), await openPostgresStore({ url, max: 3 })]
    ;[one, two] = nodes as [SqlStore, SqlStore]
    clearing = await createClearing(url)
  })
  beforeEach(async () => {
    workspaceId = (await one.workspaces.open('/tmp/one')).id
    await one.sessions.create({ id: 's1', workspaceId })
    await one.runs.put(runRecord('r1', 's1'))
  })
  afterEach(() => clearing.clear())
  afterAll(async () => {
    await Promise.all(nodes.map((store) => store.close()))
    await clearing.end()
  })

  /** Holds a transaction open until `goOn`. */
  async function hold<T>(store: Store, work: (inside: Store) => Promise<T>) {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<T>()
    const done = store.transaction(async (store) => {
      inside.resolve(await work(store))
      await held
    })
    done.catch(inside.reject)
    await inside.promise
    return { goOn, done }
  }

  it('an ask is answered by one of them', async () => {
    await one.asks.open(ask('k1', 's1'))
    const answers = [one, two, one, two].map((store, i) =>
      store.asks.answer('k1', i % 2 === 0 ? { type: 'approve' } : { type: 'deny' }),
    )
    const settled = await Promise.allSettled(answers)
    const won = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value.answer] : []))
    expect(won).toHaveLength(1)
    expect((await two.asks.get('k1'))?.answer).toEqual(won[0])
    for (const result of settled)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'AskClosed' })
  })

  it('what one reads in a transaction stays true until its end', async () => {
    const add = (store: Store, text: string) =>
      store.transaction(async (inside) => {
        const session = await inside.sessions.get('s1')
        await inside.sessions.update('s1', { rules: [...(session?.rules ?? []), { text, effect: 'allow' }] })
      })
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(i % 2 === 0 ? one : two, `Bash(${i})`)))
    expect((await one.sessions.get('s1'))?.rules).toHaveLength(10)
    const number = (store: Store, id: string) =>
      store.transaction(async (inside) => {
        const last = await inside.runs.lastNumber('s1')
        await inside.runs.put(runRecord(id, 's1', { fromNumber: last + 5 }))
      })
    await Promise.all(Array.from({ length: 10 }, (_, i) => number(i % 2 === 0 ? one : two, `n${i}`)))
    expect(await one.runs.lastNumber('s1')).toBe(50)
  })

  it('a folder that one deletes keeps no chat of the other', async () => {
    for (let round = 0; round < 5; round++) {
      const id = `f${round}`
      await one.folders.create({ id, workspaceId, name: id })
      await Promise.allSettled([two.sessions.update('s1', { folderId: id }), one.folders.delete(id)])
      const folders = (await one.folders.list(workspaceId)).map((folder) => folder.id)
      expect([null, ...folders]).toContain((await one.sessions.get('s1'))?.folderId)
    }
  })

  it('an import on one is not removed as a leftover by another that starts', async () => {
    const session = (await one.sessions.get('s1'))!
    const messages = Array.from({ length: 600 }, (_, i) => ({
      agentId: '',
      message: message(`u${i}`, i === 0 ? null : `u${i - 1}`, `word ${i}`),
    }))
    const bundle = { session: { ...session, id: 'imported' }, agents: [], messages, asks: [] }
    const importing = nodes[0]!.restore(bundle)
    const starting = (async () => {
      const third = await openPostgresStore({ url, max: 2 })
      await third.purgeHidden()
      await third.close()
    })()
    expect(await importing).toMatchObject({ created: true, added: 600, conflicts: [] })
    await starting
    expect(await two.messages.tree({ sessionId: 'imported' })).toHaveLength(600)
    expect(await nodes[1]!.restore(bundle)).toMatchObject({ created: false, added: 0, skipped: 600 })
  })

  it('signals reach the other, and both go on after all connections were cut', async () => {
    const seen: string[] = []
    const [first, again, second] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    await two.signals.listen('frames', {
      onSignal: (payload) => {
        seen.push(payload)
        if (payload === '1') first!.resolve()
        if (payload === '2') second!.resolve()
      },
      onReconnect: () => again!.resolve(),
    })
    await one.signals.notify('frames', '1')
    await first!.promise
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'troupe'`
    const { goOn, done } = await hold(one, (inside) => inside.settings.set('open', 1))
    await query(url, cut)
    await expect(one.settings.set('a', 1).then(() => one.settings.get('a'))).resolves.toBe(1)
    await again!.promise
    // It cannot have been stored, so it runs again.
    goOn()
    await done
    expect(await two.settings.get('open')).toBe(1)
    await one.signals.notify('frames', '2')
    await second!.promise
    expect(seen).toEqual(['1', '2'])
  })

  it('texts that Postgres cannot hold are stored without what it refuses', async () => {
    await one.workspaces.open('/tmp/a\0b')
    expect((await two.workspaces.list()).map(({ path }) => path)).toContain('/tmp/a\uFFFDb')
  })
})

/** Resolves when this many statements wait for a lock. */
async function waitsForLock(url: string, count = 1): Promise<void> {
  await expect
    .poll(async () => {
      const rows = await query(
        url,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBe(count)
}

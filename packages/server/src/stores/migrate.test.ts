import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoredMessage } from '@troupe/protocol'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, type MigrateOptions } from './migrate.ts'
import { backUpDatabase, nodeSqliteDialect, openSqliteStore } from './sqlite.ts'
import { migratedDatabase } from './testing/migrated-database.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
/** Undoes everything since version 9. */
const withoutFolders = `${withoutPeople()} ${['audit_entry', 'audit_term', 'audit_alias', 'secret', 'data_key', 'team_setting', 'rate_count'].map((name) => `drop table ${name};`).join(' ')} drop table node; drop table session_lease; alter table workspace drop column place; drop table trusted_folder; drop index workspace_identity;
  ${['identity', 'opened_at', 'unlisted'].map((name) => `alter table workspace drop column ${name};`).join(' ')}
  alter table project drop column name;`

describe('migrations', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'troupe-migrate-'))
  })
  afterEach(() => rmSync(home, { recursive: true }))

  it('create the same tables as a new database has', async () => {
    const tables = (database: DatabaseSync): unknown[] =>
      database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all()
    const migrated = await migratedDatabase()
    await (await openSqliteStore({ home })).close()
    const created = new DatabaseSync(join(home, 'troupe.db'))
    expect(tables(created)).toEqual(tables(migrated))
    const versions = 'select version from schema_version order by version'
    expect(created.prepare(versions).all()).toEqual(migrated.prepare(versions).all())
    created.close()
  })

  /** Every released version has a fixture, and upgrading must keep all data. */
  for (const name of readdirSync(fixtures).filter((file) => /^sqlite-\d+\.sql$/.test(file))) {
    it(`opens the database of ${name}`, async () => {
      const old = new DatabaseSync(join(home, 'troupe.db'))
      old.exec(readFileSync(join(fixtures, name), 'utf8'))
      old.close()
      const store = await openSqliteStore({ home })
      const [workspace, other] = await store.workspaces.list()
      expect(workspace).toMatchObject({ path: '/home/me/work', trusted: true })
      const { sessions } = await store.sessions.list({ workspaceId: workspace!.id })
      expect(sessions).toHaveLength(1)
      expect(sessions[0]).toMatchObject({ id: 'poem', messageCount: 4, model: 'demo/tour' })
      const since = name >= 'sqlite-003.sql'
      expect(sessions[0]).toMatchObject(since ? { mode: 'plan' } : { mode: 'default', rules: [] })
      if (since) expect(sessions[0]?.rules).toEqual([{ text: 'Bash(npm test)', effect: 'allow' }])
      if (name >= 'sqlite-006.sql') {
        const [folder] = await store.folders.list(workspace!.id)
        expect(folder).toMatchObject({ name: 'Verses', sessionCount: 1 })
        expect(sessions[0]?.folderId).toBe(folder?.id)
        expect(await store.sessions.trashedBefore(Number.MAX_SAFE_INTEGER)).toEqual(['old'])
        await store.sessions.delete('old')
      } else expect(sessions[0]).toMatchObject({ folderId: null, trashedAt: null })
      const branch = await store.messages.branch({ sessionId: 'poem' })
      expect(branch.messages.map((message) => message.id)).toEqual(['u1', 'a1b', 'u2'])
      expect(branch.siblings['a1b']).toEqual({ index: 2, total: 2, prev: 'a1', next: null })
      expect(await store.messages.search({ workspaceId: workspace!.id, query: '天气' })).toHaveLength(1)
      expect((await store.messages.branch({ sessionId: 'poem', agentId: 'g1' })).messages).toHaveLength(1)
      expect(await store.agents.list('poem')).toHaveLength(1)
      expect(await store.calls.ids('poem')).toEqual(['c0'])
      expect((await store.runs.unfinished()).map((run) => run.id)).toEqual(['r2'])
      expect(await store.runs.lastNumber('poem')).toBe(44)
      expect(await store.frames.read('r1')).toHaveLength(1)
      expect((await store.asks.list({ open: true })).map((ask) => ask.id)).toEqual(['k1'])
      expect(await store.definitions.list(workspace!.id)).toHaveLength(1)
      expect(await store.settings.get('theme')).toBe('dark')
      expect((await store.sessions.list({ workspaceId: other!.id })).sessions[0]?.title).toBe('Nothing yet')
      await store.messages.remove({ sessionId: 'poem' }, 'u1')
      await store.sessions.delete('poem')
      await store.exported()
      expect(readdirSync(join(home, 'sessions'))).toEqual(['empty'])
      await store.close()
    })
  }

  it('tool calls in older messages are found, too', async () => {
    const store = await openSqliteStore({ home })
    const workspace = await store.workspaces.open('/home/me/work')
    await store.sessions.create({ id: 's1', workspaceId: workspace.id })
    const input = { command: 'make haystack' }
    const call = { type: 'tool-Bash', toolCallId: 'c1', state: 'output-available', input, output: 'a needle' }
    const parts = [{ type: 'text', text: 'Done.' }, call] as unknown as StoredMessage['parts']
    await store.messages.add(
      { sessionId: 's1' },
      { id: 'a1', parentMessageId: null, role: 'assistant', parts, createdAt: 1 },
    )
    await store.close()
    const old = new DatabaseSync(join(home, 'troupe.db'))
    old.exec(
      `${withoutFolders} drop table usage; update message_text set text = 'done.'; delete from schema_version where version > 6`,
    )
    old.close()
    const again = await openSqliteStore({ home })
    for (const query of ['done', 'haystack', 'needle'])
      expect(await again.messages.search({ workspaceId: workspace.id, query })).toHaveLength(1)
    await again.close()
  })

  it('counts the usage of answers that were stored before', async () => {
    const store = await openSqliteStore({ home })
    const workspace = await store.workspaces.open('/home/me/work')
    await store.sessions.create({ id: 's1', workspaceId: workspace.id })
    const createdAt = new Date(2026, 10, 3, 12).getTime()
    const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120, cachedInputTokens: 40 }
    const answers = [{ model: 'shop/large', usage, cost: 0.5 }, { model: 'shop/odd', usage }, undefined]
    for (const [index, metadata] of answers.entries())
      await store.messages.add(
        { sessionId: 's1' },
        { id: `a${index}`, parentMessageId: null, role: 'assistant', parts: [], createdAt, metadata },
      )
    await store.close()
    const old = new DatabaseSync(join(home, 'troupe.db'))
    old.exec(`${withoutFolders} drop table usage; delete from schema_version where version > 7`)
    old.close()
    const again = await openSqliteStore({ home })
    const { days, models } = await again.usage.totals({ from: '2026-11-01' })
    const both = { calls: 2, inputTokens: 200, cachedTokens: 80, outputTokens: 40, cost: 0.5, unpricedTokens: 120 }
    expect(days).toEqual([{ day: '2026-11-03', ...both }])
    expect(models.map(({ model, cost }) => [model, cost])).toEqual([
      ['shop/large', 0.5],
      ['shop/odd', 0],
    ])
    await again.close()
  })

  it('rejects a newer database and leaves it unchanged', async () => {
    const store = await openSqliteStore({ home })
    await store.settings.set('a', 1)
    await store.close()
    const newer = new DatabaseSync(join(home, 'troupe.db'))
    newer.exec('insert into schema_version values (999, 1)')
    newer.close()
    await expect(openSqliteStore({ home })).rejects.toMatchObject({
      name: 'NewerDatabase',
      message: expect.stringContaining('999') as string,
      data: { version: 999 },
    })
    const after = new DatabaseSync(join(home, 'troupe.db'))
    expect(after.prepare('select count(*) as count from setting').get()).toEqual({ count: 1 })
    after.close()
    expect(readdirSync(home).filter((name) => name.includes('backup'))).toEqual([])
  })

  describe('of several versions', () => {
    const path = () => join(home, 'steps.db')
    async function run(options: Partial<MigrateOptions>): Promise<void> {
      const database = new DatabaseSync(path())
      const db = new Kysely({ dialect: nodeSqliteDialect(database) })
      try {
        const backup = (version: number) => backUpDatabase(database, `${path()}.backup-${version}`)
        await migrate(db, { clock: () => 1, dialectSteps: {}, backup, ...options })
      } finally {
        await db.destroy()
      }
    }
    const one: NonNullable<MigrateOptions['steps']>[number] = async (db) => {
      await sql`create table note (text text)`.execute(db)
      await sql`insert into note values ('old')`.execute(db)
    }
    const two: typeof one = async (db) => void (await sql`update note set text = 'new'`.execute(db))
    const failing: typeof one = async (db) => {
      await sql`update note set text = 'half'`.execute(db)
      throw new Error('broke')
    }
    function notes(file: string): unknown {
      const database = new DatabaseSync(file, { readOnly: true })
      try {
        return database.prepare('select (select max(version) from schema_version) as version, text from note').get()
      } finally {
        database.close()
      }
    }

    it('an older database is copied before it is changed', async () => {
      await run({ steps: [one] })
      expect(existsSync(`${path()}.backup-0`)).toBe(false)
      await run({ steps: [one, two] })
      expect(notes(path())).toEqual({ version: 2, text: 'new' })
      expect(notes(`${path()}.backup-1`)).toEqual({ version: 1, text: 'old' })
      await run({ steps: [one, two] })
      expect(readdirSync(home).toSorted()).toEqual(['steps.db', 'steps.db.backup-1'])
    })

    it('a failing migration changes nothing and can be retried', async () => {
      await run({ steps: [one] })
      await expect(run({ steps: [one, failing] })).rejects.toThrow('broke')
      expect(notes(path())).toEqual({ version: 1, text: 'old' })
      await run({
        steps: [one, two],
        dialectSteps: { 2: (db) => sql`create table extra (a)`.execute(db).then(() => undefined) },
      })
      expect(notes(path())).toEqual({ version: 2, text: 'new' })
    })
  })
})

function withoutPeople(): string {
  const tables = ['comment_mention', 'comment', 'invitation', 'member', 'person_blob', 'presence', 'rate_limit']
  const ofChats = ['session_blob', 'session_share', 'share_link', 'workspace_grant']
  return `drop index session_owner; ${['owner_id', 'visibility'].map((name) => `alter table session drop column ${name};`).join(' ')}
    ${[...tables, ...ofChats].map((name) => `drop table ${name};`).join(' ')}`
}

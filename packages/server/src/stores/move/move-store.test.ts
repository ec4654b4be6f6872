import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Store } from '@troupe/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBlobFiles } from '../../blobs/blob-files.ts'
import { createTestDatabase, hasPostgres, query } from '../../testing/postgres.ts'
import { openPostgresStore } from '../postgres/open-postgres.ts'
import { openSqliteStore } from '../sqlite.ts'
import { addLine, agentRecord, ask, message, runRecord, textFrame } from '../testing/builders.ts'
import { describeUrl, moveToHome, moveToPostgres } from './move-store.ts'

describe('the address of a database', () => {
  it('is shown without its password', () => {
    expect(describeUrl('postgres://me:s3cret@db.local:5433/team?sslmode=require')).toBe(
      'postgres://me@db.local:5433/team',
    )
    expect(describeUrl('no url: s3cret')).toBe('postgres')
  })
})

describe.skipIf(!hasPostgres)('a home that moves into Postgres and back', () => {
  let folder: string
  let home: string
  let url: string
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-move-'))
    home = path.join(folder, 'home')
    url = await createTestDatabase()
    const store = await openSqliteStore({ home })
    await fill(store)
    await store.close()
    const blobs = createBlobFiles(path.join(home, 'blobs'))
    await blobs.put(Buffer.alloc(700_000, 7), 'image/png')
    await blobs.put(Buffer.from('text'), 'text/plain')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function fill(store: Store): Promise<void> {
    const { id: workspaceId } = await store.workspaces.open('/tmp/one')
    await store.workspaces.trust(workspaceId, true)
    await store.folders.create({ id: 'f', workspaceId, name: 'F' })
    await store.sessions.create({ id: 's1', workspaceId, title: 'Ärger 数据' })
    await store.sessions.update('s1', { folderId: 'f', pinned: true })
    await addLine(store, { sessionId: 's1' }, 130)
    await store.messages.add({ sessionId: 's1' }, message('x1', null, '珍珠 nul \0 lone \uD800 😀'))
    await store.agents.put({ ...agentRecord('s1', 'g1'), task: 'a task with \0 in it' })
    await store.messages.add({ sessionId: 's1', agentId: 'g1' }, message('u1', null))
    await store.runs.put(runRecord('r1', 's1', { status: 'done', endedAt: 9 }))
    await store.frames.append([textFrame('r1', 1, 0, 'abc'), textFrame('r1', 2, 3, 'def')])
    await store.asks.open(ask('k1', 's1'))
    await store.definitions.put({ workspaceId, name: 'reviewer', data: { a: 1 } })
    await store.settings.set('theme', 'dark')
    const numbers = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, cost: 0.1 + 0.2, unpricedTokens: 0 }
    await store.usage.add([{ day: '2026-11-16', model: 'a/b', folder: '/tmp/one', ...numbers }])
  }

  async function contents(store: Store): Promise<unknown> {
    const [workspace] = await store.workspaces.list()
    const workspaceId = workspace!.id
    const search = (query: string) => store.messages.search({ workspaceId, query, limit: 3 })
    return {
      // Its place differs.
      workspace: { ...workspace, place: undefined },
      sessions: await store.sessions.list({ workspaceId }),
      folders: await store.folders.list(workspaceId),
      tree: await store.messages.tree({ sessionId: 's1' }),
      page: await store.messages.page({ sessionId: 's1' }, { limit: 1000 }),
      agent: await store.messages.branch({ sessionId: 's1', agentId: 'g1' }),
      runs: await store.runs.ofSession('s1'),
      frames: await store.frames.read('r1'),
      asks: await store.asks.list({}),
      definitions: await store.definitions.list(workspaceId),
      theme: await store.settings.get('theme'),
      usage: await store.usage.totals({ from: '2026' }),
      found: [await search('text'), await search('珍珠'), await search('arger')],
    }
  }

  it('is the same there, and again in another home', async () => {
    const before = await openSqliteStore({ home })
    const expected = await contents(before)
    await before.close()
    const seen: string[] = []
    const report = await moveToPostgres({ home, url, onProgress: ({ what, done }) => seen.push(`${what} ${done}`) })
    expect(report).toMatchObject({ blobs: 2, missing: [] })
    expect(report.tables.find(({ name }) => name === 'message')?.rows).toBe(132)
    expect(seen).toContain('message 132')
    expect(seen).toContain('blobs 2')
    const team = await openPostgresStore({ url, place: 'main' })
    expect((await team.workspaces.open('/tmp/one')).id).toBe((await team.workspaces.list())[0]?.id)
    expect(await contents(team)).toEqual(expected)
    expect((await team.agents.get('s1', 'g1'))?.task).toBe('a task with \uFFFD in it')
    await team.messages.add({ sessionId: 's1' }, message('later', null, 'added by the team'))
    await team.close()

    const back = path.join(folder, 'back')
    const returned = await moveToHome({ home: back, url })
    expect(returned.tables.map(({ name }) => name)).toEqual(report.tables.map(({ name }) => name))
    const same = (name: string) =>
      [report, returned].map(({ tables }) => tables.find((table) => table.name === name)?.sha256)
    for (const name of ['frame', 'usage', 'ask', 'setting']) expect(new Set(same(name)).size).toBe(1)
    const store = await openSqliteStore({ home: back })
    await store.exported()
    const lines = readFileSync(path.join(back, 'sessions', 's1', 'messages.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(lines).toHaveLength(132)
    await store.messages.remove({ sessionId: 's1' }, 'later')
    const after = (await contents(store)) as { sessions: { sessions: { updatedAt: number }[] } }
    after.sessions.sessions[0]!.updatedAt = (expected as typeof after).sessions.sessions[0]!.updatedAt
    expect(after).toEqual(expected)
    await store.close()
    const blobs = createBlobFiles(path.join(back, 'blobs'))
    expect(await Array.fromAsync(blobs.list())).toHaveLength(2)
    expect(existsSync(path.join(back, 'troupe.db.part'))).toBe(false)
  })

  it('is refused by a target with data, and by a folder without a database', async () => {
    await moveToPostgres({ home, url })
    const refused = { name: 'TargetNotEmpty', status: 409 }
    await expect(moveToPostgres({ home, url })).rejects.toMatchObject(refused)
    await expect(moveToHome({ home, url })).rejects.toMatchObject(refused)
    const empty = path.join(folder, 'empty')
    await expect(moveToPostgres({ home: empty, url })).rejects.toMatchObject({ name: 'NothingToMove' })
    expect(existsSync(path.join(empty, 'troupe.db'))).toBe(false)
  })

  it('begins again after an interruption, and what arrived in part is gone', async () => {
    const stop = ({ what, done }: { what: string; done: number }): void => {
      if (what === 'message' && done >= 100) throw new Error('interrupted')
    }
    await expect(moveToPostgres({ home, url, onProgress: stop })).rejects.toThrow('interrupted')
    expect(await query(url, 'select 1 from workspace union all select 1 from message')).toEqual([])
    await moveToPostgres({ home, url })
    const back = path.join(folder, 'back')
    await expect(moveToHome({ home: back, url, onProgress: stop })).rejects.toThrow('interrupted')
    expect(existsSync(path.join(back, 'troupe.db'))).toBe(false)
    expect((await moveToHome({ home: back, url })).blobs).toBe(2)
  })

  it('is not moved with a damaged file', async () => {
    const blobs = createBlobFiles(path.join(home, 'blobs'))
    const { sha256 } = await blobs.put(Buffer.from('whole'), 'text/plain')
    writeFileSync(path.join(home, 'blobs', sha256), 'wrong')
    await expect(moveToPostgres({ home, url })).rejects.toMatchObject({
      name: 'MoveFailed',
      message: expect.stringContaining(sha256) as string,
    })
    expect(await query(url, 'select 1 from workspace')).toEqual([])
  })

  it('is checked row by row', async () => {
    await moveToPostgres({ home, url })
    const back = path.join(folder, 'back')
    // A trigger of the target changes what is written, as a fault would.
    const other = await createTestDatabase()
    await (await openPostgresStore({ url: other })).close()
    await query(
      other,
      `create function change() returns trigger language plpgsql as $$ begin new.value := '"light"'; return new; end $$;
      create trigger change before insert on setting for each row execute function change()`,
    )
    await expect(moveToPostgres({ home, url: other })).rejects.toMatchObject({
      name: 'MoveFailed',
      data: { table: 'setting' },
    })
    expect(await query(other, 'select 1 from workspace')).toEqual([])
    expect(existsSync(back)).toBe(false)
  })

  it('keeps the files of a chat visible to those who see the chat, and refuses two disks in one home', async () => {
    const blobs = createBlobFiles(path.join(home, 'blobs'))
    const { sha256 } = await blobs.put(Buffer.from('sent'), 'text/plain')
    const store = await openSqliteStore({ home })
    await store.messages.add({ sessionId: 's1' }, message('sent', null, `/ai/blobs/${sha256} and ${'0'.repeat(64)}`))
    await store.close()
    await moveToPostgres({ home, url, place: 'laptop' })
    expect(await query(url, 'select * from session_blob')).toEqual([{ sha256, session_id: 's1' }])
    expect(await query(url, `select distinct place from workspace where id <> '~'`)).toEqual([{ place: 'laptop' }])
    const other = await openPostgresStore({ url, place: 'server' })
    await other.workspaces.open('/tmp/one')
    await other.close()
    await expect(moveToHome({ home: path.join(folder, 'back'), url })).rejects.toMatchObject({
      name: 'MoveFailed',
      message: expect.stringContaining('/tmp/one') as string,
    })
  })

  it('tells which tables of a team a home cannot hold', async () => {
    await moveToPostgres({ home, url })
    await query(url, 'create table account (id text); insert into account values (1), (2)')
    const { missing } = await moveToHome({ home: path.join(folder, 'back'), url })
    expect(missing).toEqual([{ name: 'account', rows: 2 }])
  })
})

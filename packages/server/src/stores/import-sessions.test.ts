import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@troupe/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importSessions } from './import-sessions.ts'
import { openSqliteStore, type SqliteStore } from './sqlite.ts'
import { addLine, agentRecord, ask, message } from './testing/builders.ts'

const at = { sessionId: 's1' }

describe('importing sessions', () => {
  let home: string
  let store: SqliteStore
  let workspaceId: string
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'troupe-import-'))
    await open()
  })
  afterEach(async () => {
    await store.close()
    rmSync(home, { recursive: true })
  })

  const sessionsFolder = () => join(home, 'sessions')
  async function open(): Promise<void> {
    store = await openSqliteStore({ home })
    workspaceId = (await store.workspaces.open('/tmp/one')).id
  }
  async function loseDatabase(): Promise<void> {
    await store.close()
    for (const name of ['troupe.db', 'troupe.db-wal', 'troupe.db-shm']) rmSync(join(home, name), { force: true })
    await open()
  }
  const write = (folder: string, name: string, lines: unknown[]) => {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
    writeFileSync(join(folder, name), text)
  }

  it('imports a session’s deny rules, not its allow rules, because anyone can write such a folder', async () => {
    const folder = join(home, 'given')
    const rules = [
      { text: 'Bash', effect: 'allow' },
      { text: 'Read(.env)', effect: 'deny' },
      { text: 'Edit', effect: 'ask' },
    ]
    write(folder, 'one/session.json', [{ mode: 'bypass', rules }])
    write(folder, 'two/session.json', [{ mode: 'plan' }])
    write(folder, 'three/session.json', [{ mode: 'accept-edits', rules: [] }])
    await importSessions(store, folder, { workspaceId })
    expect(await store.sessions.get('one')).toMatchObject({ mode: 'default', rules: rules.slice(1) })
    expect(await store.sessions.get('two')).toMatchObject({ mode: 'plan', rules: [] })
    expect(await store.sessions.get('three')).toMatchObject({ mode: 'default' })
  })

  it('restores every session after the database was lost', async () => {
    const project = await store.workspaces.openProject(workspaceId, 'engine')
    await store.sessions.create({ id: 's1', workspaceId, projectId: project.id, model: 'demo/tour', agent: 'master' })
    await addLine(store, at, 60)
    await store.messages.add(
      at,
      message('a1b', 'u1', 'again \u0000 \u2028 😀', { metadata: { model: 'x/y' }, createdAt: 9 }),
    )
    await store.messages.add(at, message('u9b', 'a1b', 'on the other branch'))
    await store.messages.replace(at, { id: 'a3', parts: [{ type: 'reasoning', text: 'hm' }] })
    await store.messages.remove(at, 'u20')
    await store.agents.put(agentRecord('s1', 'g1'))
    await store.agents.put(agentRecord('s1', 'g2', 'g1'))
    await addLine(store, { ...at, agentId: 'g2' }, 3)
    await store.asks.open(ask('k1', 's1', { remember: ['Write(/a)'], commands: [{ text: 'ls' }], client: 'page' }))
    await store.asks.open(ask('k2', 's1', { kind: 'browser', timeoutMs: 5 }))
    await store.asks.answer('k2', { type: 'approve', input: { path: 'b' } })
    await store.sessions.create({ id: 's2', workspaceId })
    await store.sessions.update('s2', { title: 'Mine', pinned: true, archived: true })
    const before = await everything(store)
    const files = readFileSync(join(sessionsFolder(), 's1/messages.jsonl'), 'utf8')

    await loseDatabase()
    const report = await importSessions(store, sessionsFolder(), { workspaceId })
    expect(report.problems).toEqual([])
    expect(report.sessions).toMatchObject([
      { sessionId: 's1', created: true, conflicts: [] },
      { sessionId: 's2', created: true, added: 0 },
    ])
    const after = await everything(store)
    expect(after).toEqual(before)
    expect(await store.messages.search({ workspaceId, query: 'other branch' })).toHaveLength(1)
    expect((await store.workspaces.projects(workspaceId)).map((one) => one.path)).toEqual(['/tmp/one/engine'])
    expect(readFileSync(join(sessionsFolder(), 's1/messages.jsonl'), 'utf8')).toBe(files)

    const again = await importSessions(store, join(sessionsFolder(), 's1'), { workspaceId })
    expect(again).toMatchObject({ problems: [], sessions: [{ created: false, added: 0, conflicts: [] }] })
    expect(await everything(store)).toEqual(before)
  })

  /** Everything a user sees. Workspace and project ids differ per database, so they are omitted. */
  async function everything(from: Store) {
    const sessions = []
    for (const { id } of (await from.sessions.list({ workspaceId })).sessions.toReversed()) {
      const { workspaceId: _w, projectId: _p, ...session } = (await from.sessions.get(id))!
      const agents = await from.agents.list(id)
      const conversations = [{ sessionId: id }, ...agents.map((agent) => ({ sessionId: id, agentId: agent.agentId }))]
      const leaves = [undefined, 'a1', 'u9b', 'a3']
      const branches = []
      for (const conversation of conversations) {
        for (const leaf of leaves) {
          const known = leaf === undefined || (await from.messages.get(conversation, leaf))
          if (known) branches.push(await from.messages.branch(conversation, { ...(leaf && { leaf }), limit: 1000 }))
        }
      }
      sessions.push({ session, agents, branches, asks: await from.asks.list({ sessionId: id }) })
    }
    return sessions
  }

  it('uses the later line of an id, reports bad lines by number and keeps the rest', async () => {
    const folder = join(home, 'theirs')
    write(folder, 'trip/messages.jsonl', [
      message('u1', null, 'first'),
      'not json',
      '',
      { ...message('a1', 'u1'), role: 'robot' },
      { ...message('../a', 'u1') },
      message('u1', null, 'second'),
      { ...message('a2', 'gone'), createdAt: '2026-01-02T03:04:05Z' },
      { ...message('a3', 'u1'), parts: 'none' },
    ])
    appendFileSync(join(folder, 'trip/messages.jsonl'), '{"id":"u9","parentMess')
    write(folder, 'trip/agents/g1/messages.jsonl', [message('u1', null, 'task')])
    write(folder, 'trip/agents/..x/messages.jsonl', [message('u1', null)])
    const report = await importSessions(store, folder, { workspaceId })
    expect(report.sessions).toMatchObject([{ sessionId: 'trip', created: true, added: 3, conflicts: [] }])
    expect(report.problems.map(({ file, line }) => (line === undefined ? file : `${file}:${line}`)).toSorted()).toEqual(
      [
        'trip/agents/..x',
        'trip/agents/g1/session.json',
        'trip/agents/g1/session.json',
        'trip/messages.jsonl:2',
        'trip/messages.jsonl:4',
        'trip/messages.jsonl:5',
        'trip/messages.jsonl:8',
        'trip/messages.jsonl:9',
        'trip/session.json',
      ],
    )
    expect(report.problems.find((problem) => problem.line === 9)?.message).toContain('incomplete')
    const trip = { sessionId: 'trip' }
    expect((await store.messages.get(trip, 'u1'))?.parts).toEqual([{ type: 'text', text: 'second' }])
    expect((await store.messages.strays(trip)).map((one) => one.createdAt)).toEqual([Date.UTC(2026, 0, 2, 3, 4, 5)])
    expect((await store.messages.branch({ ...trip, agentId: 'g1' })).messages).toHaveLength(1)
  })

  it('overwrites nothing: equal messages are skipped, different ones are conflicts, missing ones are added', async () => {
    await store.sessions.create({ id: 's1', workspaceId })
    await addLine(store, at, 4)
    await store.asks.open(ask('k1', 's1'))
    await store.agents.put(agentRecord('s1', 'g1'))
    const folder = join(home, 'copy')
    cpSync(join(sessionsFolder(), 's1'), folder, { recursive: true })
    await store.messages.replace(at, { id: 'a1', parts: [] })
    await store.messages.remove(at, 'a2')
    await store.asks.answer('k1', { type: 'deny' })
    await store.agents.put({ ...agentRecord('s1', 'g1'), status: 'done' })
    await store.sessions.update('s1', { title: 'Mine now' })
    const report = await importSessions(store, folder, { workspaceId })
    expect(report).toMatchObject({ problems: [], sessions: [{ created: false, added: 1, skipped: 2 }] })
    expect(report.sessions[0]!.conflicts).toEqual([
      { what: 'session', id: 's1' },
      { what: 'message', id: 'a1' },
      { what: 'agent', id: 'g1' },
      { what: 'ask', id: 'k1' },
    ])
    expect((await store.messages.get(at, 'a1'))?.parts).toEqual([])
    expect((await store.messages.get(at, 'a2'))?.parts).toHaveLength(1)
    expect((await store.sessions.get('s1'))?.title).toBe('Mine now')
    expect((await store.sessions.get('s1'))?.messageCount).toBe(4)
  })

  it('does not touch a session of another workspace', async () => {
    const other = await store.workspaces.open('/tmp/other')
    await store.sessions.create({ id: 's1', workspaceId: other.id })
    await addLine(store, at, 2)
    const folder = join(home, 'copy')
    write(folder, 's1/messages.jsonl', [message('u7', null)])
    const report = await importSessions(store, folder, { workspaceId })
    expect(report.sessions).toMatchObject([{ created: false, added: 0, conflicts: [{ what: 'session', id: 's1' }] }])
    expect(await store.messages.get(at, 'u7')).toBeUndefined()
  })

  it('follows no link and rejects hostile names', async () => {
    const secret = join(home, 'secret')
    write(secret, 'messages.jsonl', [message('u1', null, 'secret')])
    write(secret, 'session.json', ['{}'])
    const folder = join(home, 'theirs')
    mkdirSync(join(folder, 'linked'), { recursive: true })
    symlinkSync(join(secret, 'messages.jsonl'), join(folder, 'linked', 'messages.jsonl'))
    symlinkSync(secret, join(folder, 'link'))
    write(folder, 'bad name/messages.jsonl', [message('u1', null)])
    write(folder, 'evil/session.json', ['{"id":"../../x"}'])
    const report = await importSessions(store, folder, { workspaceId })
    expect(report.sessions.map((session) => [session.sessionId, session.added])).toEqual([['linked', 0]])
    expect(report.problems.map((problem) => problem.file)).toEqual(
      expect.arrayContaining(['link', 'linked/messages.jsonl', 'bad name', 'evil/session.json']),
    )
  })
})

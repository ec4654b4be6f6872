import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogLine } from '../sql/context.ts'
import { openSqliteStore, type SqliteStore } from '../sqlite.ts'
import { addLine, agentRecord, ask, message } from '../testing/builders.ts'

const at = { sessionId: 's1' }

describe('the export', () => {
  let home: string
  let store: SqliteStore
  let workspaceId: string
  let log: LogLine[]
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'troupe-export-'))
    log = []
    await open()
    workspaceId = (await store.workspaces.open('/tmp/one')).id
    await store.sessions.create({ id: 's1', workspaceId, model: 'demo/tour' })
  })
  afterEach(async () => {
    await store.close()
    rmSync(home, { recursive: true })
  })

  const open = async () => {
    store = await openSqliteStore({ home, log: (line) => log.push(line) })
  }
  const reopen = async (between: () => void = () => undefined) => {
    await store.close()
    between()
    await open()
    await store.exported()
  }
  /** Simulates a kill: files and database stay as they are, and closing stores nothing. */
  const crash = async (between: () => void = () => undefined) => {
    await store.exported()
    const kept = join(home, '..', `${home.split('/').at(-1)}-kept`)
    mkdirSync(kept)
    const database = new DatabaseSync(join(home, 'troupe.db'))
    database.prepare('vacuum into ?').run(join(kept, 'troupe.db'))
    database.close()
    renameSync(join(home, 'sessions'), join(kept, 'sessions'))
    await store.close()
    rmSync(home, { recursive: true })
    renameSync(kept, home)
    between()
    await open()
    await store.exported()
  }
  const file = (name: string) => join(home, 'sessions', 's1', name)
  const lines = (name = 'messages.jsonl') =>
    readFileSync(file(name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as StoredMessage)
  const ids = (name?: string) => lines(name).map((line) => line.id)
  const session = () => JSON.parse(readFileSync(file('session.json'), 'utf8')) as Record<string, unknown>
  const inode = () => statSync(file('messages.jsonl')).ino

  it('contains each message as soon as it is stored', async () => {
    const first = message('u1', null, 'hello \u2028 "x" \u0000', { metadata: { model: 'a/b' } })
    await store.messages.add(at, first)
    expect(lines()).toEqual([first])
    expect(session()).toMatchObject({
      id: 's1',
      title: 'hello "x"',
      workspace: '/tmp/one',
      model: 'demo/tour',
      messageCount: 1,
    })
    expect(session()['leavesOut']).toEqual(['runs', 'run-logs', 'blobs'])
    await store.messages.add(at, message('a1', 'u1'))
    expect(ids()).toEqual(['u1', 'a1'])
    await store.sessions.update('s1', { title: 'Renamed', pinned: true })
    expect(session()).toMatchObject({ title: 'Renamed', renamed: true, pinned: true })
  })

  it('appends while a conversation grows and replaces the last line when it changes', async () => {
    await addLine(store, at, 4)
    const before = inode()
    await store.messages.replace(at, { id: 'a2', parts: [{ type: 'text', text: 'longer than it was before' }] })
    await store.messages.replace(at, { id: 'a2', parts: [] })
    expect(lines().at(-1)).toEqual(message('a2', 'u2', '', { parts: [] }))
    await store.messages.add(at, message('u3', 'a2'))
    await store.messages.remove(at, 'u3')
    expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect(inode()).toBe(before)
  })

  it('replaces the file when an older message changes or is deleted', async () => {
    await addLine(store, at, 6)
    const before = inode()
    await store.messages.replace(at, { id: 'a1', parts: [] })
    expect(inode()).not.toBe(before)
    expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3'])
    expect(lines()[1]!.parts).toEqual([])
    await store.messages.remove(at, 'a2')
    expect(ids()).toEqual(['u1', 'a1', 'u2'])
    await store.messages.remove(at, 'u1')
    expect(readFileSync(file('messages.jsonl'), 'utf8')).toBe('')
    await store.messages.add(at, message('u1', null))
    expect(ids()).toEqual(['u1'])
    expect(readdirSync(file('.')).toSorted()).toEqual(['messages.jsonl', 'session.json'])
  })

  it('contains no deleted messages, and all of them after an undo', async () => {
    await addLine(store, at, 6)
    const before = readFileSync(file('messages.jsonl'), 'utf8')
    const { id } = await store.messages.takeOut(at, { below: 'u2' })
    expect(ids()).toEqual(['u1', 'a1'])
    await reopen(() => rmSync(file('.'), { recursive: true }))
    expect(ids()).toEqual(['u1', 'a1'])
    expect(readdirSync(file('.')).toSorted()).toEqual(['messages.jsonl', 'session.json'])
    await store.messages.bringBack(at, id)
    expect(readFileSync(file('messages.jsonl'), 'utf8')).toBe(before)
  })

  it('contains sub-agents and asks', async () => {
    const agent = agentRecord('s1', 'g1')
    await store.agents.put(agent)
    await addLine(store, { ...at, agentId: 'g1' }, 2)
    expect(ids('agents/g1/messages.jsonl')).toEqual(['u1', 'a1'])
    await store.agents.put({ ...agent, status: 'done' })
    expect(JSON.parse(readFileSync(file('agents/g1/session.json'), 'utf8'))).toEqual({ ...agent, status: 'done' })
    await store.asks.open(ask('k1', 's1'))
    await store.asks.open(ask('k2', 's1'))
    await store.asks.answer('k1', { type: 'deny', remark: 'no' })
    expect(ids('asks.jsonl')).toEqual(['k1', 'k2', 'k1'])
    expect(lines('asks.jsonl')[2]).toMatchObject({ answer: { type: 'deny', remark: 'no' } })
  })

  it('is written after the commit of a transaction, and not at all after its failure', async () => {
    await store.transaction(async (inside) => {
      await inside.messages.add(at, message('u1', null))
      expect(existsSync(file('messages.jsonl'))).toBe(false)
      await inside.messages.add(at, message('a1', 'u1'))
    })
    expect(ids()).toEqual(['u1', 'a1'])
    await expect(
      store.transaction(async (inside) => {
        await inside.messages.add(at, message('u2', 'a1'))
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(ids()).toEqual(['u1', 'a1'])
  })

  it('is deleted with its session, and created for a new one in the same commit', async () => {
    await addLine(store, at, 3)
    mkdirSync(file('output'))
    writeFileSync(file('output/a.txt'), 'spilled')
    await store.sessions.delete('s1')
    expect(readdirSync(join(home, 'sessions'))).toEqual([])
    await store.sessions.create({ id: 's1', workspaceId })
    await addLine(store, at, 3)
    await store.transaction(async (inside) => {
      await inside.sessions.delete('s1')
      await inside.sessions.create({ id: 's1', workspaceId })
      await inside.messages.add(at, message('other', null))
    })
    expect(ids()).toEqual(['other'])
    await crash()
    expect(ids()).toEqual(['other'])
  })

  it('keeps up with many concurrent writers', async () => {
    await store.sessions.create({ id: 's2', workspaceId })
    const writes = Array.from({ length: 60 }, (_, i) =>
      store.messages.add({ sessionId: i % 2 === 0 ? 's1' : 's2' }, message(`u${i}`, null)),
    )
    await Promise.all([...writes, store.sessions.update('s1', { pinned: true })])
    expect(ids()).toHaveLength(30)
    expect(session()).toMatchObject({ messageCount: 30, pinned: true })
  })

  describe('on open', () => {
    it('does not touch correct files', async () => {
      await addLine(store, at, 4)
      const before = statSync(file('messages.jsonl'))
      const sessionBefore = statSync(file('session.json'))
      await reopen()
      await reopen()
      expect(statSync(file('messages.jsonl'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
      expect(statSync(file('session.json')).ino).toBe(sessionBefore.ino)
      await store.messages.add(at, message('u3', 'a2'))
      expect(inode()).toBe(before.ino)
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'u3'])
    })

    it('writes the folder again after it was deleted', async () => {
      await addLine(store, at, 4)
      await store.messages.add({ ...at, agentId: 'g1' }, message('u1', null))
      await store.asks.open(ask('k1', 's1'))
      await store.sessions.create({ id: 'empty', workspaceId })
      await reopen(() => rmSync(join(home, 'sessions'), { recursive: true }))
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
      expect(ids('agents/g1/messages.jsonl')).toEqual(['u1'])
      expect(ids('asks.jsonl')).toEqual(['k1'])
      expect(readdirSync(join(home, 'sessions')).toSorted()).toEqual(['empty', 's1'])
      await reopen(() => rmSync(file('messages.jsonl')))
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
      await reopen(() => rmSync(file('session.json')))
      expect(session()).toMatchObject({ id: 's1' })
      expect(log).toEqual([])
    })

    it('writes the folder again if it is deleted while the store is open', async () => {
      await addLine(store, at, 2)
      rmSync(join(home, 'sessions'), { recursive: true })
      await store.messages.add(at, message('u2', 'a1'))
      expect(ids()).toEqual(['u1', 'a1', 'u2'])
    })

    const accidents: Record<string, () => void> = {
      'a torn last line': () => appendFileSync(file('messages.jsonl'), '{"id":"u9","parentMess'),
      'a file cut inside a line': () =>
        truncateSync(file('messages.jsonl'), statSync(file('messages.jsonl')).size - 25),
      'a file behind the database': () => {
        writeFileSync(file('messages.jsonl'), `${readFileSync(file('messages.jsonl'), 'utf8').split('\n')[0]}\n`)
      },
      'an empty file': () => truncateSync(file('messages.jsonl'), 0),
      'a missing file': () => rmSync(file('messages.jsonl')),
      'zeros in the place of lines': () => {
        const { size } = statSync(file('messages.jsonl'))
        writeFileSync(file('messages.jsonl'), Buffer.alloc(size))
      },
      'an unfinished temporary file': () => writeFileSync(file('messages.jsonl.part'), '{"id":'),
      'a half-written session.json': () => writeFileSync(file('session.json'), '{"id"'),
    }
    for (const [name, accident] of Object.entries(accidents)) {
      it(`mends ${name} after a crash`, async () => {
        await addLine(store, at, 3)
        await reopen()
        await store.messages.add(at, message('a2', 'u2'))
        await store.messages.add(at, message('u3', 'a2'))
        await crash(accident)
        expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'u3'])
        expect(session()).toMatchObject({ messageCount: 5 })
        await store.messages.add(at, message('a3', 'u3'))
        expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3'])
        expect(readFileSync(file('messages.jsonl'), 'utf8')).not.toContain('\u0000')
      })
    }

    it('mends an older line that a crash kept from being written', async () => {
      await addLine(store, at, 5)
      await reopen()
      let before = readFileSync(file('messages.jsonl'), 'utf8')
      // Same length, so the file size reveals nothing.
      await store.messages.replace(at, { id: 'a1', parts: [{ type: 'text', text: 'TEXT of a1' }] })
      await crash(() => writeFileSync(file('messages.jsonl'), before))
      expect(lines()[1]!.parts).toEqual([{ type: 'text', text: 'TEXT of a1' }])
      before = readFileSync(file('messages.jsonl'), 'utf8')
      await store.messages.remove(at, 'u3')
      await crash(() => writeFileSync(file('messages.jsonl'), before))
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
    })

    it('removes the folder of a session that was deleted just before a crash', async () => {
      await addLine(store, at, 2)
      await store.exported()
      await store.sessions.delete('s1')
      await crash(() => {
        mkdirSync(file('.'), { recursive: true })
        writeFileSync(file('messages.jsonl'), '')
      })
      expect(readdirSync(join(home, 'sessions'))).toEqual([])
    })

    it('keeps messages that are only in the files if the database was rolled back', async () => {
      await addLine(store, at, 4)
      await store.messages.add({ ...at, agentId: 'g1' }, message('u1', null))
      await store.close()
      const older = readFileSync(join(home, 'troupe.db'))
      await open()
      await store.messages.add(at, message('u3', 'a2'))
      await store.messages.add(at, message('a3', 'u3'))
      await store.messages.add({ ...at, agentId: 'g1' }, message('a1', 'u1'))
      const newer = readFileSync(file('messages.jsonl'), 'utf8')
      await reopen(() => writeFileSync(join(home, 'troupe.db'), older))
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3'])
      expect(ids('agents/g1/messages.jsonl')).toEqual(['u1', 'a1'])
      expect((await store.messages.branch(at)).leafMessageId).toBe('a3')
      expect(log.map((line) => [line.level, line.sessionId])).toEqual([['warn', 's1']])
      expect(log[0]!.message).toContain('3 messages were restored')
      const kept = / are in (\S+)\.$/.exec(log[0]!.message)?.[1] ?? ''
      expect(readFileSync(join(kept, 'messages.jsonl'), 'utf8')).toBe(newer)
      log.length = 0
      await reopen()
      expect(log).toEqual([])
    })

    it('restores messages that are only in the files, even if a new message came first', async () => {
      await addLine(store, at, 2)
      await store.close()
      const older = readFileSync(join(home, 'troupe.db'))
      await open()
      await store.messages.add(at, message('u2', 'a1'))
      await store.close()
      writeFileSync(join(home, 'troupe.db'), older)
      await open()
      await store.messages.add(at, message('other', 'a1'))
      await store.exported()
      expect(ids().toSorted()).toEqual(['a1', 'other', 'u1', 'u2'])
    })

    for (const [name, lose] of [
      ['missing', (path: string) => rmSync(path)],
      ['empty', (path: string) => truncateSync(path, 0)],
    ] as const) {
      it(`leaves every chat's files alone when the database is ${name}, and logs how to import them`, async () => {
        await addLine(store, at, 4)
        await reopen(() => lose(join(home, 'troupe.db')))
        expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
        expect(log.map((line) => line.message)).toEqual([
          `${join(home, 'sessions')} has 1 chat that is not in the database. To restore them, run: troupe import "${join(home, 'sessions')}"`,
        ])
      })
    }

    it('does not touch foreign folders', async () => {
      const theirs = join(home, 'sessions', 'to-be-imported')
      await reopen(() => mkdirSync(theirs))
      expect(existsSync(theirs)).toBe(true)
    })
  })

  describe('with links in the way', () => {
    let outside: string
    beforeEach(() => {
      outside = mkdtempSync(join(tmpdir(), 'troupe-outside-'))
      writeFileSync(join(outside, 'messages.jsonl'), 'precious')
      writeFileSync(join(outside, 'session.json'), 'precious')
    })
    afterEach(() => rmSync(outside, { recursive: true }))
    const untouched = () => {
      expect(readdirSync(outside).toSorted()).toEqual(['messages.jsonl', 'session.json'])
      expect(readFileSync(join(outside, 'messages.jsonl'), 'utf8')).toBe('precious')
      expect(readFileSync(join(outside, 'session.json'), 'utf8')).toBe('precious')
    }

    it('replaces a link in the place of a file', async () => {
      await addLine(store, at, 2)
      await reopen(() => {
        for (const name of ['messages.jsonl', 'session.json']) {
          rmSync(file(name))
          symlinkSync(join(outside, name), file(name))
        }
      })
      await store.messages.add(at, message('u2', 'a1'))
      expect(ids()).toEqual(['u1', 'a1', 'u2'])
      rmSync(file('messages.jsonl'))
      symlinkSync(join(outside, 'messages.jsonl'), file('messages.jsonl'))
      await store.messages.add(at, message('a2', 'u2'))
      expect(ids()).toEqual(['u1', 'a1', 'u2', 'a2'])
      untouched()
    })

    it('does not write through a link in place of a folder; the store continues and reports it', async () => {
      await addLine(store, at, 2)
      rmSync(file('.'), { recursive: true })
      symlinkSync(outside, join(home, 'sessions', 's1'))
      await store.messages.add(at, message('u2', 'a1'))
      expect((await store.messages.branch(at)).leafMessageId).toBe('u2')
      expect(log).toMatchObject([
        { level: 'error', sessionId: 's1', message: expect.stringContaining('not a folder') as string },
      ])
      untouched()
      await reopen(() => rmSync(join(home, 'sessions', 's1')))
      expect(ids()).toEqual(['u1', 'a1', 'u2'])
    })

    it('deletes the link and not its target', async () => {
      await addLine(store, at, 2)
      rmSync(file('.'), { recursive: true })
      symlinkSync(outside, join(home, 'sessions', 's1'))
      await store.sessions.delete('s1')
      expect(readdirSync(join(home, 'sessions'))).toEqual([])
      untouched()
    })
  })
})

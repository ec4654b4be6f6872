import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addLine, message, runRecord, textFrame } from '../contract/make.ts'
import { openSqliteStore } from '../sqlite.ts'
import type { SqliteStore } from '../sqlite.ts'

const at = { sessionId: 's1' }
const day = 24 * 60 * 60 * 1000

let home: string
let store: SqliteStore
let now: number
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'troupe-removals-'))
  now = 1000
  store = await openSqliteStore({ home, clock: () => now, log: () => undefined })
  const { id: workspaceId } = await store.workspaces.open('/tmp/one')
  await store.sessions.create({ id: 's1', workspaceId })
  await addLine(store, at, 4)
  await store.runs.create(runRecord('r2', 's1', { userMessageId: 'u2', messageId: 'a2', status: 'done' }))
  await store.frames.append([textFrame('r2', 1, 5, 'goodbye')])
})
afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true })
})

it('what was taken out stays for a day and then goes for good, its run log too', async () => {
  const { id } = await store.messages.takeOut(at, { below: 'u2' })
  now += day - 1
  await store.messages.purge()
  expect(await store.messages.bringBack(at, id)).toEqual(['u2', 'a2'])
  const again = await store.messages.takeOut(at, { below: 'u2' })
  expect(await store.runs.ofSession('s1')).toHaveLength(1)
  now += day
  await store.messages.purge()
  await expect(store.messages.bringBack(at, again.id)).rejects.toMatchObject({ name: 'RemovalNotFound' })
  expect(await store.runs.ofSession('s1')).toEqual([])
  expect(await store.frames.read('r2')).toEqual([])
  const database = new DatabaseSync(join(home, 'troupe.db'), { readOnly: true })
  expect(database.prepare('select count(*) as count from message').get()).toEqual({ count: 2 })
  database.close()
})

it('a later deletion ends the time of an earlier one', async () => {
  const { id } = await store.messages.takeOut(at, { below: 'a2' })
  now += day
  await store.messages.takeOut(at, { below: 'u2' })
  await expect(store.messages.bringBack(at, id)).rejects.toMatchObject({ name: 'RemovalNotFound' })
})

it('calls of what was taken out are not among the last calls', async () => {
  const parts = [
    { type: 'tool-Look' as const, toolCallId: 'c1', state: 'output-available' as const, input: {}, output: 1 },
  ]
  await store.messages.replace(at, { id: 'a2', parts })
  const [{ id: workspaceId } = { id: '' }] = await store.workspaces.list()
  expect(await store.calls.recent({ workspaceId, limit: 9 })).toHaveLength(1)
  await store.messages.takeOut(at, { below: 'a2' })
  expect(await store.calls.recent({ workspaceId, limit: 9 })).toEqual([])
})

it('the log of what was said again under the same id stays when the first is gone for good', async () => {
  await store.messages.takeOut(at, { below: 'u2' })
  await store.messages.add(at, message('u2', 'a1'))
  await store.messages.add(at, message('a9', 'u2'))
  await store.runs.create(runRecord('r9', 's1', { userMessageId: 'u2', messageId: 'a9', status: 'done' }))
  now += day
  await store.messages.purge()
  expect((await store.runs.ofSession('s1')).map(({ id }) => id)).toEqual(['r9'])
})

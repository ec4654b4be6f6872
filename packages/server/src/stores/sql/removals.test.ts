import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AgentDetails } from '@troupe/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../sqlite.ts'
import { addLine, agentRecord, ask, message, runRecord, textFrame } from '../testing/builders.ts'

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
  await store.runs.put(runRecord('r2', 's1', { userMessageId: 'u2', messageId: 'a2', status: 'done' }))
  await store.frames.append([textFrame('r2', 1, 5, 'goodbye')])
})
afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true })
})

it('deleted messages are kept for a day, then removed permanently with their run log', async () => {
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

it('calls of deleted messages are not among the last calls', async () => {
  const parts = [
    { type: 'tool-Look' as const, toolCallId: 'c1', state: 'output-available' as const, input: {}, output: 1 },
  ]
  await store.messages.replace(at, { id: 'a2', parts })
  const [{ id: workspaceId } = { id: '' }] = await store.workspaces.list()
  expect(await store.calls.recent({ workspaceId, limit: 9 })).toHaveLength(1)
  await store.messages.takeOut(at, { below: 'a2' })
  expect(await store.calls.recent({ workspaceId, limit: 9 })).toEqual([])
})

it('the log of a message with a reused id stays when the first one is permanently deleted', async () => {
  await store.messages.takeOut(at, { below: 'u2' })
  await store.messages.add(at, message('u2', 'a1'))
  await store.messages.add(at, message('a9', 'u2'))
  await store.runs.put(runRecord('r9', 's1', { userMessageId: 'u2', messageId: 'a9', status: 'done' }))
  now += day
  await store.messages.purge()
  expect((await store.runs.ofSession('s1')).map(({ id }) => id)).toEqual(['r9'])
})

/** Creates an agent started by a message's call, with its own run, chat and answered ask. */
async function startAgent(agentId: string, toolCallId: string, parent: string | null = null): Promise<void> {
  const details = { parentRunId: 'r2', toolCallId } as AgentDetails
  await store.agents.put({ ...agentRecord('s1', agentId, parent), status: 'done', details })
  const own = { sessionId: 's1', agentId }
  await store.messages.add(own, message('u1', null, `told ${agentId}`))
  const parts = [
    {
      type: 'tool-Write' as const,
      toolCallId: `c-${agentId}`,
      state: 'output-available' as const,
      input: {},
      output: 1,
    },
  ]
  await store.messages.add(own, message('a1', 'u1', '', { parts }))
  await store.runs.put(runRecord(`r-${agentId}`, 's1', { agentId, status: 'done' }))
  await store.frames.append([textFrame(`r-${agentId}`, 1, 50, 'said')])
  await store.asks.open(ask(`k-${agentId}`, 's1', { runId: `r-${agentId}`, toolCallId: `c-${agentId}` }))
  await store.asks.answer(`k-${agentId}`, { type: 'approve' })
}

const call = (toolCallId: string) => ({
  type: 'tool-Task' as const,
  toolCallId,
  state: 'output-available' as const,
  input: {},
  output: 'done',
})
const left = (table: string): number => {
  const database = new DatabaseSync(join(home, 'troupe.db'), { readOnly: true })
  try {
    return Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count'])
  } finally {
    database.close()
  }
}

it('permanently deleted messages take their agents along, with messages, asks and files', async () => {
  await store.messages.replace(at, { id: 'a1', parts: [call('t1')] })
  await store.messages.replace(at, { id: 'a2', parts: [call('t2')] })
  await startAgent('kept', 't1')
  await startAgent('gone', 't2')
  await startAgent('below', 'c-gone', 'gone')
  await store.asks.open(ask('k2', 's1', { runId: 'r2', toolCallId: 't2' }))
  await store.asks.answer('k2', { type: 'approve' })
  await store.exported()
  const folder = join(home, 'sessions', 's1')
  expect(readdirSync(join(folder, 'agents')).toSorted()).toEqual(['below', 'gone', 'kept'])
  const inside = await store.messages.takeOut({ sessionId: 's1', agentId: 'gone' }, { below: 'a1' })
  await store.messages.bringBack({ sessionId: 's1', agentId: 'gone' }, inside.id)
  const first = await store.messages.takeOut(at, { below: 'u2' })
  await store.messages.bringBack(at, first.id)
  expect((await store.agents.list('s1')).map(({ agentId }) => agentId)).toEqual(['below', 'gone', 'kept'])
  await store.messages.takeOut(at, { below: 'u2' })
  now += day / 2
  await store.messages.takeOut({ sessionId: 's1', agentId: 'gone' }, { below: 'a1' })
  now += day / 2
  await store.messages.purge()
  expect((await store.agents.list('s1')).map(({ agentId }) => agentId)).toEqual(['kept'])
  expect((await store.asks.list({ sessionId: 's1' })).map(({ id }) => id)).toEqual(['k-kept'])
  expect((await store.runs.ofSession('s1')).map(({ id }) => id)).toEqual(['r-kept'])
  expect([left('message'), left('frame'), left('ask'), left('agent')]).toEqual([4, 1, 1, 1])
  expect(readdirSync(join(folder, 'agents'))).toEqual(['kept'])
  expect(readFileSync(join(folder, 'asks.jsonl'), 'utf8')).not.toMatch(/k2|k-gone|k-below/)
  // Neither a restart nor leftover files of a crash bring them back.
  await store.close()
  mkdirSync(join(folder, 'agents', 'gone'), { recursive: true })
  const database = new DatabaseSync(join(home, 'troupe.db'))
  database.exec("insert into export_dirty values ('s1')")
  database.close()
  store = await openSqliteStore({ home, clock: () => now, log: () => undefined })
  await store.exported()
  expect(existsSync(join(folder, 'agents', 'gone'))).toBe(false)
  expect(existsSync(join(folder, 'agents', 'kept', 'messages.jsonl'))).toBe(true)
})

it('a running agent, and one whose call was repeated, are kept', async () => {
  await store.messages.replace(at, { id: 'a2', parts: [call('t2'), call('t3')] })
  await startAgent('busy', 't2')
  await startAgent('again', 't3')
  await store.runs.put(runRecord('r-busy', 's1', { agentId: 'busy', status: 'running' }))
  await store.messages.takeOut(at, { below: 'u2' })
  await store.messages.add(at, message('u3', 'a1'))
  await store.messages.add(at, message('a3', 'u3', '', { parts: [call('t3')] }))
  now += day
  await store.messages.purge()
  expect((await store.agents.list('s1')).map(({ agentId }) => agentId).toSorted()).toEqual(['again', 'busy'])
  expect((await store.asks.list({ sessionId: 's1' })).map(({ id }) => id).toSorted()).toEqual(['k-again', 'k-busy'])
})

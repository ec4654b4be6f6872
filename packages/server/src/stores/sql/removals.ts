import { type Db, lockSession, messageNotFound, removedMark, type StoreChange, type StoreContext } from './context.ts'
import type { Conversation, Store } from '@troupe/core'
import { NamedError, newId, type Part } from '@troupe/protocol'
import { sql } from 'kysely'
import { branchIds, readSubtree } from './branches.ts'
import { searchText } from './message-text.ts'
import { removeRunsOfMessages } from './runs.ts'
import { lockSetting } from './settings.ts'
import { removeDependents, callsIn } from './removed-dependents.ts'

const settingKey = 'removals'
const removalLifetimeMs = 24 * 60 * 60 * 1000

interface Entry {
  id: string
  sessionId: string
  agentId?: string
  at: number
}

interface MovedRow {
  id: string
  seq: number
}

/** A statement over more rows would block the event loop. */
const rowsPerStatement = 200
const messagesPerQuery = 20

/**
 * A removal moves messages to a separate stream that no walk visits, and undoing moves them back. Nothing is copied, so
 * nothing can be lost. Dependents (run logs, sub-agents, asks) stay until the messages are deleted permanently.
 */
export function removals(context: StoreContext): Pick<Store['messages'], 'takeOut' | 'bringBack' | 'purge'> {
  const { clock, search } = context

  return {
    takeOut: (at, what) =>
      context.write(async (db, changes) => {
        await lockRemovals(db, at)
        const { sessionId, agentId } = at
        const id = newId('rm_')
        const stream = agentId ?? ''
        const named = 'below' in what ? what.below : what.allBut
        if (!(await exists(db, at, named))) throw messageNotFound(named)
        const rows =
          'below' in what ? await readSubtree(db, at, named) : await readAllBut({ db, log: context.log }, at, named)
        for (let i = 0; i < rows.length; i += rowsPerStatement)
          await db
            .updateTable('message')
            .set({ agent_id: removedMark + id })
            .where('session_id', '=', sessionId)
            .where('agent_id', '=', stream)
            .where(
              'id',
              'in',
              rows.slice(i, i + rowsPerStatement).map((row) => row.id),
            )
            .execute()
        const messageIds = rows.map((row) => row.id)
        if (stream === '') await search.remove(db, sessionId, messageIds)
        await moved(db, at, rows, -1, changes)
        const entry = { id, sessionId, agentId, at: clock() }
        const entries = [...(await purgeOld(db, changes)), ...(rows.length > 0 ? [entry] : [])]
        await writeEntries(db, entries)
        return { id, messageIds }
      }),

    bringBack: (at, removalId) =>
      context.write(async (db, changes) => {
        await lockRemovals(db, at)
        const entries = await readEntries(db)
        const entry = entries.find(({ id }) => id === removalId)
        if (entry?.sessionId !== at.sessionId || entry.agentId !== at.agentId) throw removalNotFound()
        const stream = removedMark + removalId
        const select = () =>
          db.selectFrom('message').where('session_id', '=', at.sessionId).where('agent_id', '=', stream).orderBy('seq')
        const rows: MovedRow[] = await select().select(['id', 'seq']).execute()
        if (rows.length === 0) throw removalNotFound()
        await assertRestorable(db, at, removalId)
        for (;;) {
          const some = await select().select(['id', 'role', 'parts']).limit(messagesPerQuery).execute()
          if (some.length === 0) break
          await db
            .updateTable('message')
            .set({ agent_id: at.agentId ?? '' })
            .where('session_id', '=', at.sessionId)
            .where('agent_id', '=', stream)
            .where(
              'id',
              'in',
              some.map((row) => row.id),
            )
            .execute()
          if (at.agentId !== undefined) continue
          for (const { id, role, parts } of some) {
            const text = searchText(role, JSON.parse(parts) as Part[])
            if (text !== '') await search.index(db, { sessionId: at.sessionId, messageId: id }, text)
          }
        }
        await moved(db, at, rows, 1, changes)
        await writeEntries(
          db,
          entries.filter(({ id }) => id !== removalId),
        )
        return rows.map((row) => row.id)
      }),

    purge: () =>
      context.write(async (db, changes) => {
        await lockSetting(db, settingKey)
        const before = await readEntries(db)
        if (before.length > 0) await writeEntries(db, await purgeOld(db, changes))
      }),
  }

  async function moved(
    db: Db,
    at: Conversation,
    rows: MovedRow[],
    sign: 1 | -1,
    changes: StoreChange[],
  ): Promise<void> {
    const [first] = rows
    if (first === undefined) return
    await db
      .updateTable('session')
      .set((eb) => ({
        updated_at: clock(),
        message_count: at.agentId === undefined ? eb('message_count', '+', sign * rows.length) : undefined,
      }))
      .where('id', '=', at.sessionId)
      .execute()
    changes.push(
      { type: 'session', sessionId: at.sessionId },
      { type: 'lines', sessionId: at.sessionId, stream: at.agentId ?? '', fromSeq: first.seq },
    )
  }

  /** Deletes expired removals and returns the remaining ones. */
  async function purgeOld(db: Db, changes: StoreChange[]): Promise<Entry[]> {
    const entries = await readEntries(db)
    let left = entries.filter(({ at }) => at > clock() - removalLifetimeMs)
    for (const entry of entries.filter(({ at }) => at <= clock() - removalLifetimeMs)) {
      const agents = await removeForGood(db, entry, changes)
      // Removals from a deleted agent cannot be restored.
      const lost = left.filter(
        ({ sessionId, agentId = '' }) => sessionId === entry.sessionId && agents.includes(agentId),
      )
      for (const one of lost) await removeForGood(db, one, changes)
      left = left.filter((one) => !lost.includes(one))
    }
    return left
  }

  /** Returns the sub-agents that were deleted too. */
  async function removeForGood(db: Db, { id, sessionId, agentId }: Entry, changes: StoreChange[]): Promise<string[]> {
    const at = { sessionId, agentId }
    const calls = new Set<string>()
    const ids: string[] = []
    for (;;) {
      const some = await db
        .selectFrom('message')
        .select(['id', 'parts'])
        .where('session_id', '=', sessionId)
        .where('agent_id', '=', removedMark + id)
        .limit(messagesPerQuery)
        .execute()
      if (some.length === 0) break
      for (const { parts } of some) for (const call of callsIn(parts)) calls.add(call)
      const own = some.map((row) => row.id)
      await db
        .deleteFrom('message')
        .where('session_id', '=', sessionId)
        .where('agent_id', '=', removedMark + id)
        .where('id', 'in', own)
        .execute()
      // A message added again under the same id has its own log.
      const again = await db
        .selectFrom('message')
        .select('id')
        .where('session_id', '=', sessionId)
        .where('agent_id', '=', agentId ?? '')
        .where('id', 'in', own)
        .execute()
      const there = new Set(again.map((row) => row.id))
      ids.push(...own.filter((one) => !there.has(one)))
    }
    const runIds = await removeRunsOfMessages(db, at, ids)
    return removeDependents(db, { sessionId, calls, runIds }, changes)
  }
}

async function readAllBut(
  context: Pick<StoreContext, 'db' | 'log'>,
  at: Conversation,
  leafId: string,
): Promise<MovedRow[]> {
  const branch = new Set(await branchIds(context, at, leafId))
  const rows = await context.db
    .selectFrom('message')
    .select(['id', 'seq'])
    .where('session_id', '=', at.sessionId)
    .where('agent_id', '=', at.agentId ?? '')
    .orderBy('seq')
    .execute()
  return rows.filter((row) => !branch.has(row.id))
}

function removalNotFound(): NamedError {
  return new NamedError('RemovalNotFound', 'It was already restored or permanently deleted.', { status: 404 })
}

/** Throws unless the removed ids are still free and their parents exist. */
async function assertRestorable(db: Db, { sessionId, agentId = '' }: Conversation, removalId: string): Promise<void> {
  const back = sql`m.session_id = ${sessionId} and m.agent_id = ${removedMark + removalId}`
  const there = (id: string) => sql`exists (
    select 1 from message o where o.session_id = m.session_id and o.agent_id = ${agentId} and o.id = ${sql.ref(id)})`
  const clash = await sql<{ id: string }>`
    select m.id from message m where ${back} and ${there('m.id')} limit 1`.execute(db)
  if (clash.rows[0] !== undefined)
    throw new NamedError('MessageExists', `A message ${clash.rows[0].id} already exists.`, { status: 409 })
  const lost = await sql`
    select m.id from message m where ${back} and m.parent_id <> '' and not ${there('m.parent_id')}
    and m.parent_id not in (
      select o.id from message o where o.session_id = ${sessionId} and o.agent_id = ${removedMark + removalId})
    limit 1`.execute(db)
  if (lost.rows.length > 0)
    throw new NamedError('ParentGone', 'Its parent message was deleted too. Restore that first.', { status: 409 })
}

async function exists(db: Db, at: Conversation, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('message')
    .select('id')
    .where('session_id', '=', at.sessionId)
    .where('agent_id', '=', at.agentId ?? '')
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}

async function lockRemovals(db: Db, { sessionId }: Conversation): Promise<void> {
  await lockSetting(db, settingKey)
  await lockSession(db, sessionId)
}

async function readEntries(db: Db): Promise<Entry[]> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', settingKey).executeTakeFirst()
  return row === undefined ? [] : (JSON.parse(row.value) as Entry[])
}

async function writeEntries(db: Db, entries: Entry[]): Promise<void> {
  const value = JSON.stringify(entries)
  await db
    .insertInto('setting')
    .values({ key: settingKey, value })
    .onConflict((clash) => clash.column('key').doUpdateSet({ value }))
    .execute()
}

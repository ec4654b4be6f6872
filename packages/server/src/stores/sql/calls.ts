import {
  type AnyDb,
  asksStream,
  checkId,
  type Db,
  lockSession,
  removedMark,
  shortId,
  statement,
  type StoreContext,
} from './context.ts'
import type { Tables } from './tables.ts'
import type { Answer, Ask, Store, StoredCall } from '@troupe/core'
import { type Metadata, NamedError, type StoredMessage } from '@troupe/protocol'
import { nextSeq } from './sessions.ts'
import { visibleTo } from './visible.ts'

export function calls(context: StoreContext): Store['calls'] {
  return {
    async ids(sessionId) {
      const rows = await context.db
        .selectFrom('call')
        .select('tool_call_id')
        .where('session_id', '=', sessionId)
        .execute()
      return rows.map((row) => row.tool_call_id)
    },

    async recent({ workspaceId, limit, viewer }) {
      const sessions = await context.db
        .selectFrom('session')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where(visibleTo(viewer))
        .where((eb) =>
          eb.exists(eb.selectFrom('call').select('tool_call_id').whereRef('call.session_id', '=', 'session.id')),
        )
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      const found: StoredCall[] = []
      for (const { id } of sessions) {
        if (found.length >= limit) break
        await addCalls(context.db, id, found, limit)
      }
      return found.slice(0, limit)
    },
  }
}

const messagesPerQuery = 50

/** Adds the calls of a session, newest message first. Reads positions first, then the long texts as needed. */
async function addCalls(db: Db, sessionId: string, found: StoredCall[], limit: number): Promise<void> {
  const places = await db
    .selectFrom('message')
    .select(['agent_id', 'seq'])
    .where('session_id', '=', sessionId)
    .where('agent_id', 'not like', `${removedMark}%`)
    .where('role', '=', 'assistant')
    .orderBy('seq', 'desc')
    .execute()
  for (let i = 0; i < places.length && found.length < limit; i += messagesPerQuery) {
    const some = places.slice(i, i + messagesPerQuery)
    const rows = await db
      .selectFrom('message')
      .select(['created_at', 'metadata', 'parts'])
      .where('session_id', '=', sessionId)
      .where('agent_id', 'in', [...new Set(some.map((place) => place.agent_id))])
      .where('seq', '<=', some[0]!.seq)
      .where('seq', '>=', some.at(-1)!.seq)
      .where('role', '=', 'assistant')
      .orderBy('seq', 'desc')
      .execute()
    for (const row of rows) {
      const { model } = JSON.parse(row.metadata ?? '{}') as Metadata
      const made = { sessionId, model, createdAt: row.created_at }
      found.push(...callsIn(row.parts).map((call) => ({ ...call, ...made })))
    }
  }
}

/** Last call first. Skips calls whose input is incomplete. */
function callsIn(text: string): Pick<StoredCall, 'toolCallId' | 'toolName' | 'input'>[] {
  if (!text.includes('"toolCallId"')) return []
  const parts = JSON.parse(text) as StoredMessage['parts']
  return parts
    .flatMap((part) => {
      if (!('toolCallId' in part) || part.state === 'input-streaming' || part.input === undefined) return []
      const toolName = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)
      return [{ toolCallId: part.toolCallId, toolName, input: part.input }]
    })
    .toReversed()
}

/** Records a message's call ids. They stay reserved after the message is gone. */
export async function recordCalls(db: AnyDb, sessionId: string, parts: StoredMessage['parts']): Promise<void> {
  const ids = new Set(parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])))
  if (ids.size === 0) return
  await db
    .insertInto('call')
    .values([...ids].map((id) => ({ session_id: sessionId, tool_call_id: id })))
    .onConflict((conflict) => conflict.columns(['session_id', 'tool_call_id']).doNothing())
    .execute()
}

export function asks(context: StoreContext): Store['asks'] {
  const { clock } = context

  return {
    async open(ask) {
      checkId(ask.id, 'ask id')
      return context.write(async (db, changes) => {
        await lockSession(db, ask.sessionId)
        const known = await find(db, ask.id)
        if (known && known.session_id !== ask.sessionId) {
          throw new NamedError('AskExists', `A request ${ask.id} already exists.`, {
            status: 409,
            data: { askId: ask.id },
          })
        }
        if (known) return toAsk(known)
        const { seq } = await nextSeq(db, ask.sessionId)
        const row = askRow(ask, seq)
        await db.insertInto('ask').values(row).execute()
        changes.push({ type: 'lines', sessionId: ask.sessionId, stream: asksStream })
        return toAsk(row)
      })
    },

    async get(id) {
      const row = await find(context.db, id)
      return row && toAsk(row)
    },

    async list({ sessionId, runId, open }) {
      const rows = await context.db
        .selectFrom('ask')
        .selectAll()
        .$if(sessionId !== undefined, (select) => select.where('session_id', '=', sessionId!))
        .$if(runId !== undefined, (select) => select.where('run_id', '=', runId!))
        .$if(open !== undefined, (select) => select.where('closed_at', open ? 'is' : 'is not', null))
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toAsk)
    },

    async answer(id, answer) {
      return context.write(async (db, changes) => {
        const known = await findLocked(db, id)
        if (!known)
          throw new NamedError('AskNotFound', `The request ${shortId(id)} does not exist.`, {
            status: 404,
            data: { askId: shortId(id) },
          })
        if (known.closed_at !== null) {
          throw new NamedError('AskClosed', `The request ${id} is already closed.`, {
            status: 409,
            data: { askId: id },
          })
        }
        const { seq } = await nextSeq(db, known.session_id)
        const closed = { seq, closed_at: clock(), answer: JSON.stringify(answer) }
        await db.updateTable('ask').set(closed).where('id', '=', id).execute()
        changes.push({ type: 'lines', sessionId: known.session_id, stream: asksStream })
        return toAsk({ ...known, ...closed })
      })
    },

    closeRun: (runId) => close(selectOpenOfRun, runId),
    close: (id) => close(selectOpen, id),
  }

  async function close(select: typeof selectOpen, key: string): Promise<void> {
    await context.write(async (db, changes) => {
      const { rows } = await select(db, { key })
      for (const { id, session_id } of rows) {
        const { seq } = await nextSeq(db, session_id)
        await db
          .updateTable('ask')
          .set({ seq, closed_at: clock() })
          .where('id', '=', id)
          .where('closed_at', 'is', null)
          .execute()
        changes.push({ type: 'lines', sessionId: session_id, stream: asksStream })
      }
    })
  }
}

const openStatement = (column: 'id' | 'run_id') =>
  statement((db, { key }: { key: string }) =>
    db
      .selectFrom('ask')
      .select(['id', 'session_id'])
      .where(column, '=', key)
      .where('closed_at', 'is', null)
      .orderBy('seq'),
  )
const selectOpen = openStatement('id')
const selectOpenOfRun = openStatement('run_id')

function find(db: Db, id: string): Promise<Tables['ask'] | undefined> {
  return db.selectFrom('ask').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Answered and closed by one caller only. */
async function findLocked(db: Db, id: string): Promise<Tables['ask'] | undefined> {
  const known = await find(db, id)
  return known !== undefined && (await lockSession(db, known.session_id)) ? find(db, id) : known
}

export function askRow(ask: Ask, seq: number): Tables['ask'] {
  const { id, sessionId, runId, createdAt, closedAt, answer, ...data } = ask
  return {
    id,
    session_id: sessionId,
    run_id: runId,
    seq,
    created_at: createdAt,
    closed_at: closedAt,
    answer: answer === null ? null : JSON.stringify(answer),
    data: JSON.stringify(data),
  }
}

export function toAsk(row: Tables['ask']): Ask {
  return {
    ...(JSON.parse(row.data) as Omit<Ask, 'id' | 'sessionId' | 'runId' | 'createdAt' | 'closedAt' | 'answer'>),
    id: row.id,
    sessionId: row.session_id,
    runId: row.run_id,
    createdAt: row.created_at,
    closedAt: row.closed_at,
    answer: row.answer === null ? null : (JSON.parse(row.answer) as Answer),
  }
}

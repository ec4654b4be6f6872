import type { Answer, Ask, Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { checkId, type Db, shortId, type StoreContext } from './context.ts'
import { nextSeq } from './sessions.ts'
import { statement } from './statement.ts'
import { asksStream, type Tables } from './tables.ts'

export function asks(context: StoreContext): Store['asks'] {
  const { clock } = context

  return {
    async open(ask) {
      checkId(ask.id, 'ask id')
      return context.write(async (db, changes) => {
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
        const known = await find(db, id)
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
        await db.updateTable('ask').set({ seq, closed_at: clock() }).where('id', '=', id).execute()
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

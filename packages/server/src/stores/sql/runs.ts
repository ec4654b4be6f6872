import { sql } from 'kysely'
import { NamedError } from '@troupe/core'
import type { Conversation, RunRecord, RunStatus, Store } from '@troupe/core'
import { checkId, sessionNotFound, shortId } from './context.ts'
import type { StoreContext, Db } from './context.ts'
import type { Tables } from './tables.ts'

const unfinished = ['running', 'waiting']

export function runs(context: StoreContext): Store['runs'] {
  const select = () => context.db.selectFrom('run').selectAll()

  return {
    async create(run) {
      checkId(run.id, 'run id')
      await context.write(async (db) => {
        const session = await db.selectFrom('session').select('id').where('id', '=', run.sessionId).executeTakeFirst()
        if (!session) throw sessionNotFound(run.sessionId)
        const { numInsertedOrUpdatedRows } = await db
          .insertInto('run')
          .values({ id: run.id, session_id: run.sessionId, ...runColumns(run) } as Tables['run'])
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows === 0n) {
          throw new NamedError('RunExists', `There is a run ${run.id} already.`, {
            status: 409,
            data: { runId: run.id },
          })
        }
      })
    },

    async update(id, patch) {
      await context.write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('run')
          .set({ id, ...runColumns(patch) })
          .where('id', '=', id)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) {
          throw new NamedError('RunNotFound', `There is no run ${shortId(id)}.`, {
            status: 404,
            data: { runId: shortId(id) },
          })
        }
      })
    },

    async get(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row && toRunRecord(row)
    },

    async unfinished() {
      const rows = await select().where('status', 'in', unfinished).orderBy('created_at').orderBy('id').execute()
      return rows.map(toRunRecord)
    },

    async ofSession(sessionId) {
      const rows = await select().where('session_id', '=', sessionId).orderBy('created_at').orderBy('id').execute()
      return rows.map(toRunRecord)
    },

    async ofMessage(sessionId, messageId) {
      const rows = await select()
        .where('session_id', '=', sessionId)
        .where('message_id', '=', messageId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(toRunRecord)
    },

    lastNumber: (sessionId) => lastNumber(context.db, sessionId),
  }
}

async function lastNumber(db: Db, sessionId: string): Promise<number> {
  const { rows } = await sql<{ number: number | null }>`
    select max(number) as number from (
      select last_number as number from session where id = ${sessionId}
      union all
      select from_number from run where session_id = ${sessionId}
      union all
      select (select to_number from frame where frame.run_id = run.id order by seq desc limit 1)
      from run where session_id = ${sessionId}
    ) as numbers`.execute(db)
  return rows[0]?.number ?? 0
}

/** Run logs stay with their message and go with it. Gives the runs that went. */
export function removeRunsOfMessages(
  db: Db,
  { sessionId, agentId }: Conversation,
  messageIds: string[],
): Promise<string[]> {
  const gone = new Set(messageIds)
  return removeRuns(
    db,
    sessionId,
    (run) => run.agent_id === (agentId ?? null) && (gone.has(run.message_id) || gone.has(run.user_message_id)),
  )
}

/** Removes ended runs with their logs; the numbers they used are not given again. */
export async function removeRuns(
  db: Db,
  sessionId: string,
  isGone: (run: Pick<Tables['run'], 'agent_id' | 'message_id' | 'user_message_id'>) => boolean,
): Promise<string[]> {
  const rows = await db
    .selectFrom('run')
    .select(['id', 'agent_id', 'message_id', 'user_message_id'])
    .where('session_id', '=', sessionId)
    .where('status', 'not in', unfinished)
    .execute()
  const ids = rows.filter(isGone).map((row) => row.id)
  if (ids.length === 0) return []
  const number = await lastNumber(db, sessionId)
  await db.updateTable('session').set({ last_number: number }).where('id', '=', sessionId).execute()
  for (let i = 0; i < ids.length; i += 500) {
    const some = ids.slice(i, i + 500)
    await db.deleteFrom('frame').where('run_id', 'in', some).execute()
    await db.deleteFrom('run').where('id', 'in', some).execute()
  }
  return ids
}

function runColumns(run: Partial<RunRecord>): Partial<Tables['run']> {
  return {
    ...(run.agentId !== undefined && { agent_id: run.agentId }),
    ...(run.userMessageId !== undefined && { user_message_id: run.userMessageId }),
    ...(run.messageId !== undefined && { message_id: run.messageId }),
    ...(run.status !== undefined && { status: run.status }),
    ...(run.request !== undefined && { request: JSON.stringify(run.request) }),
    ...(run.fromNumber !== undefined && { from_number: run.fromNumber }),
    ...(run.createdAt !== undefined && { created_at: run.createdAt }),
    ...(run.endedAt !== undefined && { ended_at: run.endedAt }),
  }
}

function toRunRecord(row: Tables['run']): RunRecord {
  return {
    id: row.id,
    sessionId: row.session_id,
    agentId: row.agent_id,
    userMessageId: row.user_message_id,
    messageId: row.message_id,
    status: row.status as RunStatus,
    request: JSON.parse(row.request) as Record<string, unknown>,
    fromNumber: row.from_number,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  }
}

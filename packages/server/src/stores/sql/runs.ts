import type { Conversation, RunRecord, RunStatus, Store } from '@troupe/core'
import { type Frame, joinDeltas, type LogItem } from '@troupe/protocol'
import { type CompiledQuery, sql } from 'kysely'
import { checkId, type Db, lockIfInside, lockRow, sessionNotFound, statement, type StoreContext } from './context.ts'
import type { Tables } from './tables.ts'

const unfinished = ['running', 'waiting']

export function runs(context: StoreContext): Store['runs'] {
  const select = () => context.db.selectFrom('run').selectAll()

  return {
    put: (run) => context.write((db) => putRun(db, run)),

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

    async lastNumber(sessionId) {
      await lockIfInside(context.db, sessionId)
      return lastNumber(context.db, sessionId)
    },
  }
}

const selectSessionId = statement((db, { id }: { id: string }) =>
  db.selectFrom('session').select('id').where('id', '=', id),
)

export async function putRun(db: Db, run: RunRecord): Promise<void> {
  checkId(run.id, 'run id')
  const { rows } = await selectSessionId(db, { id: run.sessionId })
  if (rows.length === 0) throw sessionNotFound(run.sessionId)
  await upsertRun(db, { ...run, request: JSON.stringify(run.request) })
}

const upsertRun = statement((db, run: Omit<RunRecord, 'request'> & { request: string }) =>
  db
    .insertInto('run')
    .values({
      id: run.id,
      session_id: run.sessionId,
      agent_id: run.agentId,
      user_message_id: run.userMessageId,
      message_id: run.messageId,
      status: run.status,
      request: run.request,
      from_number: run.fromNumber,
      created_at: run.createdAt,
      ended_at: run.endedAt,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ status: run.status, ended_at: run.endedAt })),
)

async function lastNumber(db: Db, sessionId: string): Promise<number> {
  const { rows } = await selectLastNumber(db, { sessionId })
  return rows[0]?.number ?? 0
}

const selectLastNumber = statement(
  (_, { sessionId }: { sessionId: string }) => sql<{ number: number | null }>`
    select max(number) as number from (
      select last_number as number from session where id = ${sessionId}
      union all
      select from_number from run where session_id = ${sessionId}
      union all
      select (select to_number from frame where frame.run_id = run.id order by seq desc limit 1)
      from run where session_id = ${sessionId}
    ) as numbers`,
)

/** Deletes the runs and logs of these messages. Returns the deleted runs. */
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

/** Deletes ended runs with their logs. Their numbers are never reused. */
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

export function frames(context: StoreContext): Store['frames'] {
  return {
    async append(frames, begun = []) {
      if (frames.length === 0) return []
      const rows = frames.map(frameRow)
      return context.write(async (db) => {
        for (const run of begun) await putRun(db, run)
        await insertFrames(db, rows)
        return []
      })
    },

    async read(runId, after, limit) {
      const rows = await context.db
        .selectFrom('frame')
        .selectAll()
        .where('run_id', '=', runId)
        .$if(after !== undefined, (select) => select.where('to_number', '>', after!))
        .$if(limit !== undefined, (select) => select.limit(limit!))
        .orderBy('seq')
        .execute()
      return rows.map(toFrame)
    },

    async merge(runId) {
      await context.write(async (db) => {
        await lockRow(db, 'run', runId)
        const { rows } = await selectFrames(db, { runId })
        const merged = mergeFrames(rows.map(toFrame))
        if (merged.length === rows.length) return
        await deleteFrames(db, { runId })
        await insertFrames(db, merged.map(frameRow))
      })
    },
  }
}

const selectFrames = statement((db, { runId }: { runId: string }) =>
  db.selectFrom('frame').selectAll().where('run_id', '=', runId).orderBy('seq'),
)

const deleteFrames = statement((db, { runId }: { runId: string }) => db.deleteFrom('frame').where('run_id', '=', runId))

/** Merges frames with consecutive numbers and joins adjacent deltas. A gap starts a new frame. */
function mergeFrames(frames: Frame[]): Frame[] {
  const merged: Frame[] = []
  for (const frame of frames) {
    const last = merged.at(-1)
    if (last?.to === frame.from) {
      last.to = frame.to
      for (const item of frame.items) pushJoined(last.items, item)
    } else {
      const items: LogItem[] = []
      for (const item of frame.items) pushJoined(items, item)
      merged.push({ ...frame, items })
    }
  }
  return merged
}

function pushJoined(items: LogItem[], item: LogItem): void {
  const last = items.at(-1)
  const joined = last && joinDeltas(last, item)
  if (joined) items[items.length - 1] = joined
  else items.push(item)
}

const maxInsertRows = 256

/** Hot path. Building a statement costs more than running it, so one is built per power of two and reused. */
async function insertFrames(db: Db, rows: Tables['frame'][]): Promise<void> {
  let at = 0
  for (let size = maxInsertRows; size >= 1; size /= 2) {
    while (rows.length - at >= size) {
      const parameters: unknown[] = []
      for (const row of rows.slice(at, at + size)) {
        parameters.push(row.run_id, row.seq, row.from_number, row.to_number, row.items)
      }
      await db.executeQuery({ ...toInsert(db, size), parameters })
      at += size
    }
  }
}

const inserts = new WeakMap<object, CompiledQuery[]>()

function toInsert(db: Db, size: number): CompiledQuery {
  const adapter = db.getExecutor().adapter
  const known = inserts.get(adapter) ?? []
  inserts.set(adapter, known)
  const row = { run_id: '', seq: 0, from_number: 0, to_number: 0, items: '' }
  return (known[size] ??= db
    .insertInto('frame')
    .values(Array.from({ length: size }, () => row))
    .compile())
}

function frameRow(frame: Frame): Tables['frame'] {
  return {
    run_id: frame.runId,
    seq: frame.seq,
    from_number: frame.from,
    to_number: frame.to,
    items: JSON.stringify(frame.items),
  }
}

function toFrame(row: Tables['frame']): Frame {
  return {
    runId: row.run_id,
    seq: row.seq,
    from: row.from_number,
    to: row.to_number,
    items: JSON.parse(row.items) as LogItem[],
  }
}

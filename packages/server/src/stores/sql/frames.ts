import type { Store } from '@troupe/core'
import { type Frame, joinDeltas, type LogItem } from '@troupe/protocol'
import type { CompiledQuery } from 'kysely'
import { type Db, statement, type StoreContext, type Tables } from './context.ts'
import { lockRow } from './locks.ts'
import { putRun } from './runs.ts'

const maxInsertRows = 256

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

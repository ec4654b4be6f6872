import { cp, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorInfo, isId } from '@troupe/protocol'
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { type Db, type ExportChange, type Log, statement, streamFile } from '../sql/context.ts'
import type { Tables } from '../sql/tables.ts'
import type { Exporter } from '../sql/sql-store.ts'
import { hiddenWorkspace } from '../sql/hidden-sessions.ts'
import { createSessionFiles } from './session-files.ts'
import { createSessionWriter, emptyMark, type ExportMark, rewindStoredMark, storeMark } from './session-writer.ts'

/** Bytes a file may run ahead of its stored mark before a commit stores it. */
const marksStoredEvery = 1 << 20
const sessionsPerBatch = 200
/** Time that an export may wait for the next commit of its session, which then writes both. */
const laterMs = 250

/**
 * The readable files of every session, updated after each commit.
 *
 * Marks are stored when a session was verified, periodically while it grows, and on close. The commit that changes an
 * exported line also lowers its mark. So a stored mark is always valid, if outdated, and a crash loses only the export
 * since then. `export_dirty` lists the sessions changed since. Only those are fully checked on the next open.
 */
export interface SessionExport extends Exporter {
  /** Repairs every session's files, one slice at a time. */
  reconcile(): Promise<void>
  /** Returns copies of files that were newer than the database, made before overwriting. Each is returned once. */
  drainBackups(): { sessionId: string; folder: string }[]
  countUnknown(): Promise<number>
  /** Stores all marks. No commit may follow. */
  close(): Promise<void>
}

export function createSessionExport(db: Db, { folder, log }: { folder: string; log: Log }): SessionExport {
  const files = createSessionFiles(folder)
  const kept: { sessionId: string; folder: string }[] = []
  const keep = async (sessionId: string): Promise<void> => {
    kept.push({ sessionId, folder: await backUpNewerFiles(folder, sessionId) })
  }
  const writer = createSessionWriter(db, files, keep)
  /** Marks of sessions whose files are known to be correct. */
  const known = new Map<string, Map<string, ExportMark>>()
  const stored = new Map<string, number>()
  /** Changed since open. Those in `dirty` are certainly in `export_dirty`. */
  const changed = new Set<string>()
  const dirty = new Set<string>()
  /** The last commit of a session whose files are not yet written. Until then its marks are too high. */
  const unwritten = new Map<string, ExportChange[]>()
  /** Changes that are not yet exported, and the last commit they came with. */
  const waiting = new Map<string, { changes: ExportChange[]; commit: ExportChange[] }>()
  let timer: NodeJS.Timeout | undefined
  let queue: Promise<void> = Promise.resolve()

  /** Runs sequentially and never rejects. The next change or open repairs the files. */
  function inQueue(sessionId: string | undefined, work: () => Promise<void>): Promise<void> {
    queue = queue.then(work).catch((error: unknown) => {
      if (sessionId !== undefined) known.delete(sessionId)
      log({
        level: 'error',
        message: `the export failed: ${errorInfo(error).message}`,
        sessionId,
      })
    })
    return queue
  }

  const lookClosely = (sessionId: string) =>
    inQueue(sessionId, async () => {
      const marks = await writer.writeAll(sessionId)
      if (marks) known.set(sessionId, marks)
    })

  return {
    async beforeCommit(transaction, changes) {
      for (const [sessionId, own] of bySession(changes)) {
        changed.add(sessionId)
        const deleted = own.some((change) => change.type === 'session-deleted')
        if (deleted) await addDeleted(transaction, { id: sessionId })
        if (own.at(-1)!.type === 'session-deleted') continue
        if (deleted || !dirty.has(sessionId)) await addDirty(transaction, { session_id: sessionId })
        for (const change of own) {
          if (change.type !== 'lines') continue
          if (change.fromSeq === undefined) await storeIfFar(transaction, sessionId, change.stream)
          else await rewindStoredMark(transaction, sessionId, change.stream, change.fromSeq)
        }
        unwritten.set(sessionId, changes)
      }
    },

    async afterCommit(changes, canWait) {
      for (const [sessionId, own] of bySession(changes)) {
        waiting.set(sessionId, {
          changes: [...(waiting.get(sessionId)?.changes ?? []), ...own],
          commit: changes,
        })
        if (!canWait) void flushWaiting(sessionId)
      }
      if (canWait) timer ??= setTimeout(flushAllWaiting, laterMs)
      else await queue
    },

    async reconcile() {
      await inQueue(undefined, removeDeleted)
      const rows = await db.selectFrom('export_dirty').select('session_id').execute()
      await mend(rows.map((row) => row.session_id))
      const wrong = await findWrongSessions()
      for (let i = 0; i < wrong.length; i += sessionsPerBatch) await mend(wrong.slice(i, i + sessionsPerBatch))
    },

    drainBackups: () => kept.splice(0),

    async countUnknown() {
      const rows = await db.selectFrom('session').select('id').execute()
      const removed = await db.selectFrom('deleted_session').select('id').execute()
      const inDatabase = new Set([...rows, ...removed].map(({ id }) => id))
      const unknown = (await exportedSessions(folder)).filter((id) => !inDatabase.has(id))
      return unknown.filter((id) => files.size(files.path(id, streamFile(''))) !== undefined).length
    },

    close() {
      clearTimeout(timer)
      flushAllWaiting()
      return inQueue(undefined, () => storeMarks([...known.keys()]))
    },
  }

  function flushAllWaiting(): void {
    timer = undefined
    for (const sessionId of waiting.keys()) void flushWaiting(sessionId)
  }

  function flushWaiting(sessionId: string): Promise<void> {
    return inQueue(sessionId, async () => {
      const next = waiting.get(sessionId)
      if (next === undefined) return
      waiting.delete(sessionId)
      await flush(sessionId, next.changes)
      if (unwritten.get(sessionId) === next.commit) unwritten.delete(sessionId)
    })
  }

  async function flush(sessionId: string, changes: ExportChange[]): Promise<void> {
    if (changes.some((change) => change.type === 'session-deleted')) {
      known.delete(sessionId)
      dirty.delete(sessionId)
      await files.removeSession(sessionId)
    }
    if (changes.at(-1)!.type === 'session-deleted') return
    dirty.add(sessionId)
    const marks = known.get(sessionId)
    for (const change of changes) {
      if (change.type !== 'agent-deleted') continue
      marks?.delete(change.agentId)
      files.removeAgent(sessionId, change.agentId)
    }
    if (!marks) {
      const all = await writer.writeAll(sessionId)
      if (all) known.set(sessionId, all)
      return
    }
    const streams = new Map<string, number>()
    for (const change of changes) {
      if (change.type === 'agent') await writer.writeAgents(sessionId, change.agentId)
      if (change.type !== 'lines') continue
      streams.set(change.stream, Math.min(streams.get(change.stream) ?? Infinity, change.fromSeq ?? Infinity))
    }
    for (const [stream, fromSeq] of streams)
      marks.set(stream, await writer.writeLines(sessionId, stream, marks.get(stream) ?? emptyMark, fromSeq))
    if (changes.some((change) => change.type === 'session')) await writer.writeSession(sessionId)
  }

  async function storeIfFar(transaction: Db, sessionId: string, stream: string): Promise<void> {
    const mark = unwritten.has(sessionId) ? undefined : known.get(sessionId)?.get(stream)
    const key = `${sessionId}/${stream}`
    if (mark === undefined || mark.size - (stored.get(key) ?? 0) < marksStoredEvery) return
    await storeMark(transaction, sessionId, stream, mark)
    stored.set(key, mark.size)
  }

  /** Stores the marks of correct sessions and clears their dirty flag. */
  async function storeMarks(sessionIds: string[], except?: Set<string>): Promise<void> {
    if (sessionIds.length === 0) return
    await db.transaction().execute(async (transaction) => {
      for (const id of sessionIds) {
        const marks = known.get(id)
        // Checked inside the transaction: a commit with pending writes has registered before its end.
        if (marks === undefined || except?.has(id)) continue
        for (const [stream, mark] of marks) await storeMark(transaction, id, stream, mark)
        await transaction.deleteFrom('export_dirty').where('session_id', '=', id).execute()
      }
    })
  }

  async function mend(sessionIds: string[]): Promise<void> {
    for (const id of sessionIds) if (!known.has(id)) await lookClosely(id)
    await inQueue(undefined, () => storeMarks(sessionIds, changed))
  }

  /** Returns sessions whose files are missing or differ in size from the stored one. Keeps the event loop free. */
  async function findWrongSessions(): Promise<string[]> {
    const wrong = new Set<string>()
    for (let after = ''; ;) {
      const { rows } = await sql<{ id: string; stream: string | null; size: number | null }>`
        select some.id, stream, size from (
          select id from session where id > ${after} and workspace_id <> ${hiddenWorkspace} order by id
          limit ${sessionsPerBatch}
        ) as some left join export_state on session_id = some.id order by some.id`.execute(db)
      for (const { id, stream, size } of rows) {
        if (!wrong.has(id) && !isExported(id, stream, size)) wrong.add(id)
        await yieldToEventLoop()
      }
      const last = rows.at(-1)?.id
      if (last === undefined) return [...wrong]
      after = last
    }
  }

  function isExported(id: string, stream: string | null, size: number | null): boolean {
    return (
      stream !== null &&
      (files.size(files.path(id, streamFile(stream))) ?? 0) === size &&
      files.size(files.path(id, 'session.json')) !== undefined
    )
  }

  /** Removes folders of deleted sessions left by a crash, and frames written after a deletion. */
  async function removeDeleted(): Promise<void> {
    const rows = await db.selectFrom('deleted_session').select('id').execute()
    if (rows.length === 0) return
    for (const { id } of rows) {
      const session = await db
        .selectFrom('session')
        .select('id')
        .where('id', '=', id)
        .where('workspace_id', '<>', hiddenWorkspace)
        .executeTakeFirst()
      if (!session) await files.removeSession(id)
    }
    await removeLostFrames()
    for (const { id } of rows) await db.deleteFrom('deleted_session').where('id', '=', id).execute()
  }

  async function removeLostFrames(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const { rows }: { rows: { run_id: string; is_lost: number }[] } = await sql<{ run_id: string; is_lost: number }>`
        select run_id, not exists (select 1 from run where run.id = some.run_id) as is_lost
        from (select distinct run_id from frame where run_id > ${after} order by run_id limit 1000) as some`.execute(db)
      for (const { run_id, is_lost } of rows)
        if (is_lost === 1) await db.deleteFrom('frame').where('run_id', '=', run_id).execute()
      after = rows.at(-1)?.run_id
    }
  }
}

function bySession(changes: ExportChange[]): Map<string, ExportChange[]> {
  return Map.groupBy(changes, (change) => change.sessionId)
}

const addDirty = statement((db, row: Tables['export_dirty']) =>
  db
    .insertInto('export_dirty')
    .values({ session_id: row.session_id })
    .onConflict((conflict) => conflict.doNothing()),
)

const addDeleted = statement((db, row: Tables['deleted_session']) =>
  db
    .insertInto('deleted_session')
    .values({ id: row.id })
    .onConflict((conflict) => conflict.doNothing()),
)

const backupFolder = 'kept'

/** Copies a session's readable files before the export overwrites them. Returns the copy's folder. */
async function backUpNewerFiles(sessionsFolder: string, sessionId: string): Promise<string> {
  const source = join(sessionsFolder, sessionId)
  const target = join(dirname(sessionsFolder), backupFolder, new Date().toISOString().replaceAll(':', '-'), sessionId)
  const isReadable = (file: string): boolean => !/^(?:output|jsx)$/.test(basename(file)) || dirname(file) !== source
  await cp(source, target, { recursive: true, filter: isReadable })
  return target
}

async function exportedSessions(sessionsFolder: string): Promise<string[]> {
  try {
    const entries = await readdir(sessionsFolder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && isId(entry.name)).map((entry) => entry.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

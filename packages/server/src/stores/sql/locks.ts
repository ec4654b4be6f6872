import { PostgresAdapter, sql } from 'kysely'
import { type AnyDb, type Db, statement } from './context.ts'

/**
 * Locks until the end of the commit, for databases with several writers. SQLite has one writer at a time, so there they
 * cost nothing. To prevent deadlocks, take them in this order: a key, a run, a session.
 */

/** True if other processes write to this database, too. */
export function hasOtherWriters(db: AnyDb): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Sessions that a transaction has locked. */
const locked = new WeakMap<Db, Set<string>>()

/** Returns true if it had to wait its turn, so that what was read before may be outdated. */
export async function lockSession(db: Db, id: string): Promise<boolean> {
  if (!hasOtherWriters(db)) return false
  const own = locked.get(db) ?? new Set()
  if (own.has(id)) return false
  await selectSessionForUpdate(db, { id })
  locked.set(db, own.add(id))
  return true
}

/** In a transaction, what is read of a session stays true until its end. */
export async function lockIfInside(db: Db, sessionId: string): Promise<void> {
  if (db.isTransaction) await lockSession(db, sessionId)
}

/** Not `for update`, which would block the foreign keys of rows that others add. */
const selectSessionForUpdate = statement((db, { id }: { id: string }) =>
  db.selectFrom('session').select('id').where('id', '=', id).forNoKeyUpdate(),
)

/** Locks a row against changes, or with `share` only against changes by others. */
export async function lockRow(
  db: Db,
  table: 'workspace' | 'folder' | 'run',
  id: string,
  mode: 'change' | 'share' = 'change',
): Promise<void> {
  if (!hasOtherWriters(db)) return
  const select = db.selectFrom(table).select('id').where('id', '=', id)
  await (mode === 'share' ? select.forShare() : select.forUpdate()).execute()
}

/** Locks a name, for what has no row yet. */
export async function lockKey(db: AnyDb, key: string): Promise<void> {
  if (hasOtherWriters(db)) await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db)
}

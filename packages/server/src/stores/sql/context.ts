import type { Store, Viewer } from '@troupe/core'
import { isId, NamedError, type StoredMessage } from '@troupe/protocol'
import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  PostgresAdapter,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

/** The database in a migration, whose tables may differ from the current ones. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDb = Kysely<any>

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  message: string
  [field: string]: unknown
}
export type Log = (line: LogLine) => void

export interface StoreContext {
  /** The connection or current transaction. Throws once that transaction has ended. */
  readonly db: Db
  search: SearchIndex
  clock: () => number
  log: Log
  /** Name of this process's disk. Empty outside a cluster. */
  place: string
  listen: Store['signals']['listen']
  /** Runs the callback in one commit (or in the enclosing one), then exports the changes. */
  write<T>(work: (db: Db, changes: StoreChange[]) => Promise<T>): Promise<T>
  /** Serializes multi-commit work on one session. */
  serialize<T>(sessionId: string, work: () => Promise<T>): Promise<T>
}

export type StoreChange = ExportChange | ({ type: 'signal' } & Signal)

/** A message for all processes that use the store, sent with the commit. */
export interface Signal {
  channel: string
  payload: string
}

/** A change of the exported files. */
export type ExportChange =
  | { type: 'session'; sessionId: string }
  | { type: 'session-deleted'; sessionId: string }
  | { type: 'agent'; sessionId: string; agentId: string }
  | { type: 'agent-deleted'; sessionId: string; agentId: string }
  /** Lines were added to a stream. `fromSeq`: the line at that position changed or was removed. */
  | { type: 'lines'; sessionId: string; stream: string; fromSeq?: number }

export function checkId(id: unknown, what: string): void {
  if (isId(id)) return
  throw new NamedError('InvalidId', `The ${what} must be 1 to 64 letters, digits, "_" or "-".`, { status: 400 })
}

export function sessionNotFound(id: string): NamedError {
  return new NamedError('SessionNotFound', `The chat ${shortId(id)} does not exist.`, {
    status: 404,
    data: { sessionId: shortId(id) },
  })
}

export function messageNotFound(id: string): NamedError {
  return new NamedError('MessageNotFound', `The message ${shortId(id)} does not exist in this chat.`, {
    status: 404,
    data: { messageId: shortId(id) },
  })
}

/** Truncates an untrusted id for error messages. */
export function shortId(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id
}

/** Full-text search of one dialect. All texts and terms are folded. */
export interface SearchIndex {
  /** Sets the searchable text of a message, or of a title (`messageId` ''). Empty text removes it from search. */
  index(db: Db, at: { sessionId: string; messageId: string }, text: string): Promise<void>
  /** The same for messages that have none yet. */
  indexAll(db: Db, sessionId: string, texts: { messageId: string; text: string }[]): Promise<void>
  remove(db: Db, sessionId: string, messageIds: string[]): Promise<void>
  /**
   * Returns sessions with a title or message that contains every term, or undefined if there are too many. May include
   * those of other workspaces.
   */
  sessionsWith(db: Db, options: { workspaceId: string; terms: string[] }): Promise<string[] | undefined>
  among(db: Db, sessionIds: string[], terms: string[]): Promise<Set<string>>
  /** Returns messages that contain every term, newest first. */
  find(
    db: Db,
    options: { workspaceId: string; terms: string[]; limit: number; viewer?: Viewer },
  ): Promise<{ sessionId: string; messageId: string }[]>
  /** Same within one session. */
  findIn(db: Db, options: { sessionId: string; terms: string[]; limit: number }): Promise<string[]>
}

/** The stream of asks. Message streams are named '' or by agent id, which never contains '$'. */
export const asksStream = '$asks'

/** Prefix of streams with removed messages. Agent ids never contain it. */
export const removedMark = '~'

/** Returns a stream's file relative to the session's folder. */
export function streamFile(stream: string): string {
  if (stream === '') return 'messages.jsonl'
  return stream === asksStream ? 'asks.jsonl' : `agents/${stream}/messages.jsonl`
}

/** Returns a message's own columns. The JSON is well-formed Unicode without U+0000, whatever the message contains. */
export function messageColumns(message: StoredMessage) {
  return {
    id: message.id,
    parent_id: message.parentMessageId ?? '',
    role: message.role,
    created_at: message.createdAt,
    metadata: metadataText(message.metadata),
    parts: JSON.stringify(message.parts),
  }
}

export function toStoredMessage(row: Tables['message']): StoredMessage {
  return {
    id: row.id,
    parentMessageId: row.parent_id === '' ? null : row.parent_id,
    role: row.role as StoredMessage['role'],
    parts: JSON.parse(row.parts) as StoredMessage['parts'],
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as NonNullable<StoredMessage['metadata']> }),
    createdAt: row.created_at,
  }
}

export function metadataText(metadata: StoredMessage['metadata']): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata)
}

/**
 * Declares a query that is built and compiled once and then run with different values. Use it for queries of every
 * turn: building one costs several times what running it does. `build` gets placeholders, so it must not inspect the
 * values.
 */
export function statement<Values extends object, Row>(
  build: (db: Db, values: Values) => Compilable<Row> | RawBuilder<Row>,
): (db: Db, values: Values) => Promise<QueryResult<Row>> {
  /** By adapter, since each dialect has its own SQL. */
  const queries = new WeakMap<object, { query: CompiledQuery<Row>; run: RunStatement | undefined }>()
  return async (db, values) => {
    const { adapter } = db.getExecutor()
    const direct = directDatabases.get(adapter)
    let known = queries.get(adapter)
    if (known === undefined) {
      const built = build(db, placeholders as Values)
      const query = 'isRawBuilder' in built ? built.compile(db) : built.compile()
      known = { query, run: direct?.prepare(query.sql) }
      queries.set(adapter, known)
    }
    const { query, run } = known
    const parameters = query.parameters.map((one) =>
      one instanceof Placeholder ? values[one.name as keyof Values] : one,
    )
    if (direct === undefined || run === undefined) return db.executeQuery({ ...query, parameters })
    const pause = yieldToEventLoop()
    if (pause !== undefined) await pause
    const isFree = db.isTransaction || (!writers.has(adapter) && !direct.isInTransaction())
    return isFree ? run(parameters) : db.executeQuery({ ...query, parameters })
  }
}

/** Runs a prepared statement. */
export type RunStatement = <Row>(parameters: readonly unknown[]) => QueryResult<Row>

/** A database in this process with one connection. */
interface DirectDatabase {
  prepare(sql: string): RunStatement
  isInTransaction(): boolean
}

const directDatabases = new WeakMap<object, DirectDatabase>()
const writers = new WeakSet<object>()

/**
 * Runs statements without Kysely's search for a free connection, which costs more than a small query. Those outside a
 * transaction still wait for one that was begun before them.
 */
export function runDirectly(db: Db, database: DirectDatabase): void {
  directDatabases.set(db.getExecutor().adapter, database)
}

/** Tells that transactions are open or about to begin. */
export function setWriting(db: Db, isWriting: boolean): void {
  const { adapter } = db.getExecutor()
  if (isWriting) writers.add(adapter)
  else writers.delete(adapter)
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/**
 * Locks until the end of the commit, for databases with several writers. SQLite has one writer at a time, so there they
 * cost nothing. To prevent deadlocks, take them in this order: a key, a run, a session.
 */

/** True if other processes also write to this database. */
export function hasOtherWriters(db: AnyDb): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Sessions that a transaction has locked. */
const locked = new WeakMap<Db, Set<string>>()

/** Returns true if it locked now, so values that were read before may be outdated. */
export async function lockSession(db: Db, id: string): Promise<boolean> {
  if (!hasOtherWriters(db)) return false
  const own = locked.get(db) ?? new Set()
  if (own.has(id)) return false
  await selectSessionForUpdate(db, { id })
  locked.set(db, own.add(id))
  return true
}

/** In a transaction, locks the session, so values read from it stay valid until the commit. */
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

/** Locks a name, for values that have no row yet. */
export async function lockKey(db: AnyDb, key: string): Promise<void> {
  if (hasOtherWriters(db)) await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db)
}

import { yieldToEventLoop } from '../../util/concurrency.ts'
import { isId, NamedError, type StoredMessage } from '@troupe/protocol'
import type { Store, Viewer } from '@troupe/core'
import type { Compilable, CompiledQuery, Kysely, QueryResult, RawBuilder } from 'kysely'

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
  /** Where this process works. Empty for a single one. */
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

/**
 * Tables common to all dialects: ids and JSON as text, times as integer milliseconds, flags as 0 and 1. `agent_id` is
 * '' in a session's own chat and `parent_id` is '' at a root, so that keys contain no nulls.
 */
export interface Tables {
  workspace: {
    id: string
    path: string
    trusted: number
    created_at: number
    identity: string | null
    opened_at: number | null
    unlisted: number
    /** Names the disk that the folder is on. Empty for a single process. */
    place: string
  }
  /** Folders the user trusts, by identity. */
  trusted_folder: { identity: string; path: string; trusted_at: number }
  project: {
    id: string
    workspace_id: string
    parent_id: string | null
    path: string
    /** Null: the name of the folder. */
    name: string | null
    created_at: number
  }
  folder: { id: string; workspace_id: string; parent_id: string | null; name: string; created_at: number }
  session: {
    id: string
    workspace_id: string
    project_id: string | null
    title: string
    /** 1 once the user set the title, or the application did at creation. */
    renamed: number
    /** 1 until the first user message sets the title. */
    untitled: number
    pinned: number
    archived: number
    folder_id: string | null
    trashed_at: number | null
    model: string | null
    agent: string | null
    mode: string
    /** JSON: the user's allow, deny and ask rules for this session. */
    rules: string
    /** JSON: model settings by name. */
    params: string
    owner_id: string | null
    visibility: string
    message_count: number
    /** Orders everything in the session. Grows with each message and each change of an ask. */
    seq: number
    /** Highest number of deleted run logs, since numbers are never reused. */
    last_number: number
    created_at: number
    updated_at: number
  }
  message: {
    session_id: string
    agent_id: string
    id: string
    parent_id: string
    seq: number
    role: string
    created_at: number
    metadata: string | null
    parts: string
  }
  agent: {
    session_id: string
    agent_id: string
    parent_agent_id: string | null
    name: string
    task: string
    agent_type: string
    status: string
    title: string
    run_id: string | null
    /** JSON */
    details: string | null
    created_at: number
    updated_at: number
  }
  run: {
    id: string
    session_id: string
    agent_id: string | null
    user_message_id: string
    message_id: string
    status: string
    request: string
    from_number: number
    created_at: number
    ended_at: number | null
  }
  frame: { run_id: string; seq: number; from_number: number; to_number: number; items: string }
  ask: {
    id: string
    session_id: string
    run_id: string
    seq: number
    created_at: number
    closed_at: number | null
    answer: string | null
    data: string
  }
  call: { session_id: string; tool_call_id: string }
  /** Totals of model calls. `day` is a local date, `cost` in US dollars. */
  usage: {
    day: string
    model: string
    folder: string
    /** Empty outside team mode. */
    person: string
    calls: number
    input_tokens: number
    cached_tokens: number
    output_tokens: number
    cost: number
    unpriced_tokens: number
  }
  member: { person_id: string; role: string; created_at: number; mentions_seen_at: number }
  /** A row is deleted when its link is used. `email` is '' for the link that creates the owner. */
  invitation: {
    id: string
    token_hash: string
    email: string
    role: string
    invited_by: string | null
    created_at: number
    expires_at: number
  }
  /** `subject` is `person:<id>` or `role:<name>`. */
  workspace_grant: { workspace_id: string; subject: string; right: string }
  session_share: { session_id: string; person_id: string; right: string; created_at: number }
  share_link: {
    id: string
    session_id: string
    token_hash: string
    created_by: string
    created_at: number
    expires_at: number
  }
  comment: {
    id: string
    session_id: string
    message_id: string
    author_id: string
    text: string
    created_at: number
  }
  comment_mention: { comment_id: string; person_id: string }
  presence: { session_id: string; person_id: string; since: number; seen_at: number }
  /** Attempts since a time, by address or account. */
  rate_limit: { key: string; count: number; since: number }
  /** Blobs that a chat contains, by origin: its attachments and what its runs made. */
  session_blob: { sha256: string; session_id: string }
  /** Blobs that a person uploaded. */
  person_blob: { sha256: string; person_id: string }
  /** Append-only, see `governance/audit.ts`. */
  audit_entry: {
    id: number
    at: number
    actor: string
    action: string
    target_type: string
    target: string
    outcome: string
    request_id: string
    address: string
    detail: string
  }
  audit_term: { term: string; id: number }
  /** Personal data that entries refer to. */
  audit_alias: { id: string; person_id: string; kind: string; label: string }
  /** Encrypted values, see `governance/secrets.ts`. `owner` is a person, or '' for the organization. */
  secret: { owner: string; name: string; value: string; updated_at: number }
  /** Encryption keys, wrapped by a key management service. */
  data_key: { id: string; wrapped: string; created_at: number }
  /** Started runs per minute. */
  rate_count: { name: string; minute: number; count: number }
  team_setting: { name: string; value: string; version: number; updated_at: number }
  definition: RecordTable
  rule: RecordTable
  setting: { key: string; value: string }
  /** Verified extent of each exported file: its first `size` bytes contain everything up to `seq`. */
  export_state: { session_id: string; stream: string; seq: number; line_start: number | null; size: number }
  /** Sessions whose files may differ from their stored marks. */
  export_dirty: { session_id: string }
  /** Deleted sessions whose exported folder must still be removed. */
  deleted_session: { id: string }
}

interface RecordTable {
  workspace_id: string
  name: string
  data: string
}

/** The stream of asks. Message streams are named '' or by agent id, which never contains '$'. */
export const asksStream = '$asks'

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

/** Prefix of streams with removed messages. Agent ids never contain it. */
export const removedMark = '~'

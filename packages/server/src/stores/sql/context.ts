import { isId, NamedError } from '@troupe/protocol'
import type { Kysely } from 'kysely'
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
  /** Runs the callback in one commit (or in the enclosing one), then exports the changes. */
  write<T>(work: (db: Db, changes: StoreChange[]) => Promise<T>): Promise<T>
  /** Serializes multi-commit work on one session. */
  serialize<T>(sessionId: string, work: () => Promise<T>): Promise<T>
}

export type StoreChange =
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
  remove(db: Db, sessionId: string, messageIds: string[]): Promise<void>
  /** Returns sessions with a title or message that contains every term, or undefined if there are too many. */
  sessionsWith(db: Db, terms: string[]): Promise<string[] | undefined>
  among(db: Db, sessionIds: string[], terms: string[]): Promise<Set<string>>
  /** Returns messages that contain every term, newest first. */
  find(
    db: Db,
    options: { workspaceId: string; terms: string[]; limit: number },
  ): Promise<{ sessionId: string; messageId: string }[]>
  /** Same within one session. */
  findIn(db: Db, options: { sessionId: string; terms: string[]; limit: number }): Promise<string[]>
}

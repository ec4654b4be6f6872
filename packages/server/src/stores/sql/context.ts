import { isId, NamedError } from '@troupe/protocol'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

/** The database as a migration sees it: its tables are those of that day, not today's. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDb = Kysely<any>

/** One line of the structured log. */
export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  message: string
  [field: string]: unknown
}
export type Log = (line: LogLine) => void

/** What every noun of the store is made from. */
export interface StoreContext {
  /** The connection, or the transaction inside one. Throws once that transaction has ended. */
  readonly db: Db
  search: SearchIndex
  clock: () => number
  log: Log
  /** Runs the work as one commit (or as part of the commit around it), then has the changes exported. */
  write<T>(work: (db: Db, changes: StoreChange[]) => Promise<T>): Promise<T>
  /** Runs work of several commits on one session, one after the other. */
  inTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>
}

/** What a commit changed, as the export needs to know it. */
export type StoreChange =
  | { type: 'session'; sessionId: string }
  | { type: 'session-deleted'; sessionId: string }
  | { type: 'agent'; sessionId: string; agentId: string }
  | { type: 'agent-deleted'; sessionId: string; agentId: string }
  /** Lines were added to a stream; with `fromSeq` the line at that place changed or went. */
  | { type: 'lines'; sessionId: string; stream: string; fromSeq?: number }

export function checkId(id: unknown, what: string): void {
  if (isId(id)) return
  throw new NamedError('InvalidId', `The ${what} must be 1 to 64 letters, digits, "_" or "-".`, { status: 400 })
}

export function sessionNotFound(id: string): NamedError {
  return new NamedError('SessionNotFound', `There is no session ${shortId(id)}.`, {
    status: 404,
    data: { sessionId: shortId(id) },
  })
}

export function messageNotFound(id: string): NamedError {
  return new NamedError('MessageNotFound', `There is no message ${shortId(id)} in this conversation.`, {
    status: 404,
    data: { messageId: shortId(id) },
  })
}

/** An id of a stranger, short enough for an error text. */
export function shortId(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id
}

/** Full-text search of one dialect. All texts and terms it sees are folded. */
export interface SearchIndex {
  /** Sets the searchable text of a message, or of a title (`messageId` ''). An empty text is not found. */
  index(db: Db, at: { sessionId: string; messageId: string }, text: string): Promise<void>
  remove(db: Db, sessionId: string, messageIds: string[]): Promise<void>
  /** The sessions with a title or a message that holds every term; undefined where they are too many to be listed. */
  sessionsWith(db: Db, terms: string[]): Promise<string[] | undefined>
  /** Those of these sessions that match. */
  among(db: Db, sessionIds: string[], terms: string[]): Promise<Set<string>>
  /** Messages that hold every term, newest first. */
  find(
    db: Db,
    options: { workspaceId: string; terms: string[]; limit: number },
  ): Promise<{ sessionId: string; messageId: string }[]>
  /** The same in one session. */
  findIn(db: Db, options: { sessionId: string; terms: string[]; limit: number }): Promise<string[]>
}

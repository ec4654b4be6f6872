import type { Isolation } from './isolation.ts'

/**
 * SQL over files and databases (`ctx.queries`). Each statement runs in a separate process, confined where there is a
 * sandbox, and killed when its time is over or the call is stopped.
 */
export interface Queries {
  /** Names and types only. Addresses and secrets stay in the config. */
  connections(): readonly QueryConnection[]
  /** Rejects with a reason for the model. */
  run(request: QueryRequest, call: QueryCall): Promise<QueryResult>
  /** Writes all rows to a new file, which the caller removes. */
  save(request: QuerySave, call: QueryCall): Promise<SavedQuery>
  /**
   * Changes data. `dry` only counts the rows that would change. A changed file is a new file at `path`, which the
   * caller puts in place and removes.
   */
  write(
    request: QueryWrite,
    call: QueryCall & { onLocked?(): Promise<void> },
  ): Promise<{ rowCount: number; path?: string }>
}

export interface QuerySave {
  source: QuerySource
  sql: string
  format: 'csv' | 'xlsx' | 'parquet'
}

export interface SavedQuery {
  path: string
  size: number
  rowCount: number
}

export interface QueryWrite {
  source: QuerySource
  sql: string
  step: 'dry' | 'commit'
  /** Real path of the file whose rows change, if the source is files. It is the table `troupe_target`. */
  target?: string | undefined
}

export interface QueryConnection {
  name: string
  type: QueryType
  /** False if the config does not allow changes. */
  writable: boolean
  /** The database file, if it is one. */
  file?: string | undefined
}

export type QueryType = 'postgres' | 'mysql' | 'sqlite' | 'troupe'

export interface QueryRequest {
  source: QuerySource
  /** Absent: lists the tables and their columns. */
  sql?: string | undefined
  /** Most rows to return. All rows are counted. */
  limit: number
}

export type QuerySource =
  | { kind: 'files'; files: readonly QueryFile[]; cwd: string }
  /** A database file that the caller may read. */
  | { kind: 'sqlite'; path: string }
  | { kind: 'connection'; name: string }

/** Files that a statement names. Nothing else can be opened. */
export interface QueryFile {
  /** The name in the statement. */
  name: string
  /** Real paths. A pattern has several. */
  paths: readonly string[]
  /** Sheet of a workbook. Default: the first. */
  sheet?: string | undefined
}

export interface QueryCall {
  signal: AbortSignal
  workspace: { id: string }
  /** In team mode: the person who asks. */
  isolation?: Isolation | undefined
  /** Journals the process, so that it never outlives a crash. */
  process?(pid: number): Promise<void>
}

export interface QueryColumn {
  name: string
  /** The type as the database names it: `DECIMAL(18,2)`. */
  type: string
  kind: 'number' | 'text' | 'boolean' | 'time' | 'other'
}

export interface QueryResult {
  columns: QueryColumn[]
  /** Exact text of each value, or null. */
  rows: (string | null)[][]
  /** All rows of the result, or those counted before the time for counting was over. */
  rowCount: number
  /** True if `rowCount` is exact. */
  counted: boolean
  ms: number
}

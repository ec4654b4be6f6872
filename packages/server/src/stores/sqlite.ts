import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { errorInfo } from '@troupe/protocol'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LogEvent,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { yieldToEventLoop } from '../util/concurrency.ts'
import { isDamage } from './check-database.ts'
import { databaseDamaged } from './database-state.ts'
import { createSessionExport, type SessionExport } from './export/session-export.ts'
import { importSessions } from './import-sessions.ts'
import { migrate } from './migrate.ts'
import { type Db, type Log, runDirectly, type RunStatement } from './sql/context.ts'
import type { Tables } from './sql/tables.ts'
import { createLocalSignals } from './sql/signals.ts'
import { createSqlStore, type SqlStore } from './sql/sql-store.ts'
import { createReadThread, createSqliteSearch, sqliteSearchMigrations } from './sqlite-search.ts'
import { sqliteSchema } from './sqlite-schema.ts'
import { sqliteUsageMigrations } from './sqlite-usage.ts'

export const sqliteSteps = { ...sqliteSearchMigrations, ...sqliteUsageMigrations }

export interface SqliteStoreOptions {
  home: string
  log?: Log
  clock?: () => number
  /** Sees the statements of Kysely. Frequent ones bypass it. */
  onQuery?: ((event: LogEvent) => void) | undefined
}

const reconcileAfterMs = 300

export interface SqliteStore extends SqlStore {
  /** Resolves when every session's files have been checked, and repaired if needed. */
  exported(): Promise<void>
  /** Creates a complete copy while writes continue. Includes all commits up to its end. */
  copyTo(target: string): Promise<void>
}

/**
 * Opens `troupe.db` in the home. The caller must hold the home's lock. Throws `DatabaseDamaged` and leaves the file
 * unchanged if it is not a readable database.
 */
export async function openSqliteStore({
  home,
  log = () => undefined,
  clock = Date.now,
  onQuery,
}: SqliteStoreOptions): Promise<SqliteStore> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const path = join(home, 'troupe.db')
  const { database, db } = await openSqliteDatabase(path, clock, onQuery).catch((error: unknown) => {
    throw isDamage(error) ? databaseDamaged(home, error.message) : error
  })
  try {
    const exporter = createSessionExport(db, { folder: join(home, 'sessions'), log })
    const thread = createReadThread(path)
    const search = createSqliteSearch(thread)
    const store = createSqlStore({ db, search, clock, log, exporter, signals: createLocalSignals() })
    // Deferred so that it does not delay startup.
    const later = Promise.withResolvers<void>()
    const timer = setTimeout(later.resolve, reconcileAfterMs)
    const reconciled = later.promise
      .then(() => store.purgeHidden())
      .then(() => exporter.reconcile())
      .then(() => restoreNewerFiles(store, exporter, { home, log }))
      .catch((error: unknown) =>
        log({ level: 'error', message: `the export was not mended: ${errorInfo(error).message}` }),
      )
    return {
      ...store,
      exported() {
        later.resolve()
        return reconciled
      },
      async copyTo(target) {
        await backup(database, target)
        chmodSync(target, 0o600)
      },
      async close() {
        clearTimeout(timer)
        later.resolve()
        await reconciled
        await exporter.close()
        await thread.close()
        await store.close()
      },
    }
  } catch (error) {
    if (database.isOpen) database.close()
    throw isDamage(error) ? databaseDamaged(home, error.message) : error
  }
}

/** Opens or creates a database file with the current tables. */
export async function openSqliteDatabase(
  path: string,
  clock: () => number,
  onQuery?: SqliteStoreOptions['onQuery'],
): Promise<{ database: DatabaseSync; db: Db }> {
  // Private regardless of the folder's permissions. SQLite creates its other files with the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full')
    const connection = createConnection(database)
    const dialect = nodeSqliteDialect(database, connection)
    const db = new Kysely<Tables>(onQuery === undefined ? { dialect } : { dialect, log: onQuery })
    runDirectly(db, { prepare: connection.prepare, isInTransaction: () => database.isTransaction })
    await migrate(db, {
      clock,
      dialectSteps: sqliteSteps,
      create: () => database.exec(sqliteSchema),
      backup: (version) => backUpDatabase(database, `${path}.backup-${version}`),
    })
    return { database, db }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/**
 * If the exported files are newer than the database (lost, emptied or rolled back), the longer history wins: adds
 * messages found only in the files. Does not import unknown sessions, but tells the user how to.
 */
async function restoreNewerFiles(
  store: SqlStore,
  exporter: SessionExport,
  { home, log }: Required<Pick<SqliteStoreOptions, 'home' | 'log'>>,
): Promise<void> {
  for (const { sessionId, folder } of exporter.drainBackups()) {
    const session = await store.sessions.get(sessionId)
    if (session === undefined) continue
    const { sessions } = await importSessions(store, folder, { workspaceId: session.workspaceId, closesAsks: true })
    const added = sessions[0]?.added ?? 0
    const message = `The database was older than the exported files of this chat. ${added} messages were restored. Copies of the files are in ${folder}.`
    log({ level: 'warn', message, sessionId })
  }
  const unknown = await exporter.countUnknown()
  if (unknown === 0) return
  const folder = join(home, 'sessions')
  const message = `${folder} has ${unknown === 1 ? '1 chat that is' : `${unknown} chats that are`} not in the database. To restore them, run: troupe import "${folder}"`
  log({ level: 'warn', message })
}

/** True if the user trusts a folder. Works without owning the home. False if that cannot be read. */
export function isTrusted(home: string, folder: string): boolean {
  const path = join(home, 'troupe.db')
  if (!existsSync(path)) return false
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    return database.prepare('select 1 from workspace where path = ? and trusted = 1').get(folder) !== undefined
  } catch {
    return false
  } finally {
    database?.close()
  }
}

/** Creates a complete, synced copy of an open database. An older copy stays until the new one is complete. */
export function backUpDatabase(database: DatabaseSync, target: string): void {
  const part = `${target}.part`
  rmSync(part, { force: true })
  database.prepare('vacuum into ?').run(part)
  const file = openSync(part, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, target)
}

const cachedStatements = 300

/**
 * Kysely on `node:sqlite`. There is one connection, and Kysely's mutex gives it to one caller at a time. Callers
 * outside a transaction wait until it ends.
 */
export function nodeSqliteDialect(database: DatabaseSync, connection = createConnection(database)): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(database, connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver(database: DatabaseSync, connection: DatabaseConnection): Driver {
  const run = (sql: string) => connection.executeQuery(CompiledQuery.raw(sql)).then(() => undefined)
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
    // Immediate: takes the write lock at the start instead of midway.
    beginTransaction: () => run('begin immediate'),
    commitTransaction: () => run('commit'),
    // Some failures (a full disk) have already rolled back.
    rollbackTransaction: () => (database.isTransaction ? run('rollback') : Promise.resolve()),
    destroy: async () => database.close(),
  }
}

type SqliteConnection = DatabaseConnection & { prepare(sql: string): RunStatement }

function createConnection(database: DatabaseSync): SqliteConnection {
  const statements = new Map<string, RunStatement>()

  function prepare(sql: string): RunStatement {
    const known = statements.get(sql)
    if (known !== undefined) {
      // Moved to the end, so the first entry is the least recently used.
      statements.delete(sql)
      statements.set(sql, known)
      return known
    }
    const run = runner(database.prepare(sql))
    statements.set(sql, run)
    if (statements.size > cachedStatements) statements.delete(statements.keys().next().value!)
    return run
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      // Queries are synchronous and promises alone never yield, so a long series would block the event loop.
      const pause = yieldToEventLoop()
      if (pause !== undefined) await pause
      return prepare(query.sql)<R>(query.parameters)
    },
    prepare,
    // Uses its own statement, since a cached one could run again during iteration.
    async *streamQuery<R>({ sql, parameters }: CompiledQuery) {
      for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[]))) yield { rows: [row as R] }
    },
  }
}

function runner(statement: StatementSync): RunStatement {
  if (statement.columns().length > 0)
    return <R>(parameters: readonly unknown[]) => ({ rows: statement.all(...(parameters as SQLInputValue[])) as R[] })
  return (parameters) => {
    const { changes } = statement.run(...(parameters as SQLInputValue[]))
    return { numAffectedRows: BigInt(changes), rows: [] }
  }
}

import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { errorInfo } from '@troupe/core'
import { isDamage } from './check-database.ts'
import { databaseDamaged } from './database-damaged.ts'
import { backUp } from './sqlite-backup.ts'
import { createSessionExport } from './export/session-export.ts'
import { migrate } from './migrate.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import type { Log } from './sql/context.ts'
import type { Tables } from './sql/tables.ts'
import { createSqlStore } from './sql-store.ts'
import type { SqlStore } from './sql-store.ts'
import { sqliteSearch, sqliteSearchMigrations } from './sqlite-search.ts'

export interface SqliteStoreOptions {
  home: string
  log?: Log
  clock?: () => number
}

export interface SqliteStore extends SqlStore {
  /** Resolves when every session's files have been looked at, and mended where they were not right. */
  exported(): Promise<void>
  /** A whole copy as of its end, made beside the work that goes on. */
  copyTo(target: string): Promise<void>
}

/**
 * Opens `troupe.db` in the home. The caller holds the home's lock: one process owns it. Throws `DatabaseDamaged`, and
 * leaves the file as it is, where it holds no database or one that cannot be read.
 */
export async function openSqliteStore({
  home,
  log = () => undefined,
  clock = Date.now,
}: SqliteStoreOptions): Promise<SqliteStore> {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const path = join(home, 'troupe.db')
  // Ours alone, whatever the folder allows; SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full')
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
    await migrate(db, {
      clock,
      dialectSteps: sqliteSearchMigrations,
      backup: (version) => backUp(database, `${path}.backup-${version}`),
    })
    const exporter = createSessionExport(db, join(home, 'sessions'), log)
    const store = createSqlStore({ db, search: sqliteSearch, clock, log, exporter })
    const reconciled = new Promise((resolve) => setImmediate(resolve))
      .then(() => exporter.reconcile())
      .catch((error: unknown) =>
        log({ level: 'error', message: `the export was not mended: ${errorInfo(error).message}` }),
      )
    return {
      ...store,
      exported: () => reconciled,
      async copyTo(target) {
        await backup(database, target)
        chmodSync(target, 0o600)
      },
      async close() {
        await reconciled
        await exporter.close()
        await store.close()
      },
    }
  } catch (error) {
    if (database.isOpen) database.close()
    throw isDamage(error) ? databaseDamaged(home, error.message) : error
  }
}

/** Whether the person trusts a folder, without owning the home; false where that cannot be read. */
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

import { errorInfo, NamedError } from '@troupe/protocol'
import { Kysely, type LogEvent, PostgresDialect, sql } from 'kysely'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Db, Log } from '../sql/context.ts'
import type { Tables } from '../sql/tables.ts'
import { createSqlStore, type Exporter, type SqlStore } from '../sql/sql-store.ts'
import { createPostgresBlobs } from './blobs.ts'
import { createPostgresCommit, createPostgresSerialize } from './commits.ts'
import { createPostgresSignals } from './listener.ts'
import { migratePostgres, versionGuard } from './migrate-postgres.ts'
import { createPostgresPool, type PostgresPoolOptions } from './pool.ts'
import { ensureTrigrams, postgresSearch } from './search.ts'

export interface PostgresStoreOptions extends Omit<PostgresPoolOptions, 'guard' | 'log'> {
  /** Directly to the server, if `url` leads to a pooler. Used for signals and migrations. */
  listenUrl?: string | undefined
  /** Names the disk that this process works on. */
  place?: string
  log?: Log
  clock?: () => number
  /** Sees the statements of Kysely. */
  onQuery?: ((event: LogEvent) => void) | undefined
}

export interface PostgresStore extends SqlStore {
  /** Blobs in the same database. */
  blobs: BlobStore
  /** For tables that belong to other parts of the server. */
  db: Db
}

/**
 * Opens the store of a team. Several processes may open it at the same time, even an empty database. There are no readable files:
 * a chat is exported on request. Throws `NewerDatabase` and `DatabaseUnavailable`.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, listenUrl = url, place, log = () => undefined, clock = Date.now, onQuery, ...limits } = options
  await migrateDatabase({ url: listenUrl, log, clock, patienceMs: limits.patienceMs })
  const pool = createPostgresPool({ ...limits, url, log, guard: versionGuard })
  const dialect = new PostgresDialect({ pool })
  const db = new Kysely<Tables>(onQuery === undefined ? { dialect } : { dialect, log: onQuery })
  const locks = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPostgresPool({ url, max: 2, log }) }) })
  const store = createSqlStore({
    db,
    search: postgresSearch,
    signals: createPostgresSignals({ url: listenUrl, log }),
    commit: createPostgresCommit(db),
    serialize: createPostgresSerialize(locks),
    exporter: noFiles,
    clock,
    log,
    place,
  })
  const blobs = createPostgresBlobs(pool, clock)
  const purged = store
    .purgeHidden()
    .then(() => blobs.purge())
    .catch((error: unknown) =>
      log({ level: 'error', message: `leftovers were not removed: ${errorInfo(error).message}` }),
    )
  return {
    ...store,
    blobs,
    db,
    async close() {
      await purged
      await store.close()
      await locks.destroy()
    },
  }
}

const noFiles: Exporter = {
  beforeCommit: () => Promise.resolve(),
  afterCommit: () => Promise.resolve(),
}

/** Brings a database to the version of this program. */
export async function migrateDatabase(
  options: Pick<PostgresPoolOptions, 'url' | 'log' | 'patienceMs'> & { clock: () => number },
): Promise<void> {
  const { clock, ...rest } = options
  const { log } = rest
  const pool = createPostgresPool({ ...rest, max: 1, statementMs: 0, lockMs: 0 })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await checkEncoding(db)
    await migratePostgres(db, { clock })
    await ensureTrigrams(db, log)
  } finally {
    await db.destroy()
  }
}

async function checkEncoding(db: Db): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8')
    throw new NamedError(
      'WrongEncoding',
      `The database has the encoding ${encoding}. Create one with the encoding UTF8.`,
      { status: 500 },
    )
}

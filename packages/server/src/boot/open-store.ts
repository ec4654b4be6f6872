import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Kysely as KyselyDb, LogEvent } from 'kysely'
import { createBlobFiles } from '../blobs/blob-files.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Cluster } from '../cluster/open-cluster.ts'
import type { ClusterTables } from '../cluster/tables.ts'
import { type SqlStore, transactionOf } from '../stores/sql/sql-store.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import type { BucketSettings } from '../util/bucket.ts'
import type { Logger } from '../util/logger.ts'
import { type ClusterSettings, version } from './server.ts'

interface OpenedStore {
  store: SqlStore
  /** Copies the database of the home while it is in use. Undefined for a database server, which has its own tools. */
  copyTo?: (target: string) => Promise<void>
  blobs: BlobStore
  cluster?: Cluster
}

/** Opens the store: the database of the home, or that of a cluster, which this process joins. */
export async function openStore(options: {
  home: string
  logger: Logger
  cluster: ClusterSettings | undefined
  closers: (() => unknown)[]
  /** Sees the statements of Kysely. */
  onQuery?: ((event: LogEvent) => void) | undefined
}): Promise<OpenedStore> {
  const { home, logger, cluster: settings, closers, onQuery } = options
  if (settings === undefined) {
    const store = await openSqliteStore({ home, log: logger, onQuery })
    closers.push(() => store.close())
    return { store, copyTo: store.copyTo, blobs: createBlobFiles(path.join(home, 'blobs')) }
  }
  if (settings.folder !== undefined) shareFolders(home, settings.folder)
  // Loaded on demand, because a single user never needs it.
  const [
    { openPostgresStore },
    { createPostgresPool },
    { Kysely, PostgresDialect },
    { openPgBossEngine },
    { openCluster },
  ] = await Promise.all([
    import('../stores/postgres/open-postgres.ts'),
    import('../stores/postgres/pool.ts'),
    import('kysely'),
    import('../cluster/pg-boss-engine.ts'),
    import('../cluster/open-cluster.ts'),
  ])
  const { databaseUrl: url, listenUrl, place = 'main', labels = [] } = settings
  const store = await openPostgresStore({ url, listenUrl, place, log: logger, onQuery })
  closers.push(() => store.close())
  const db = store.db as unknown as KyselyDb<ClusterTables>
  const engine = await (settings.openEngine ?? openPgBossEngine)({
    url,
    inTransaction: (work) => db.transaction().execute(work),
    transactionOf: clusterTransaction,
    place,
    logger,
  })
  const leasePool = createPostgresPool({ url, max: 2, ...leaseLimits, log: logger })
  const leaseDb = new Kysely<ClusterTables>({ dialect: new PostgresDialect({ pool: leasePool }) })
  closers.push(() => leaseDb.destroy())
  const cluster = await openCluster({
    store,
    db,
    leaseDb,
    transactionOf: clusterTransaction,
    engine,
    logger,
    self: { place, labels, version },
    leaseMs: settings.leaseMs,
    beatMs: settings.beatMs,
  })
  closers.push(() => cluster.close())
  const blobs = settings.bucket === undefined ? store.blobs : await openBucketBlobs(settings.bucket)
  return { store: cluster.store as SqlStore, blobs, cluster }
}

async function openBucketBlobs(settings: BucketSettings): Promise<BlobStore> {
  const [{ createBucketBlobs }, { openBucket }] = await Promise.all([
    import('../blobs/bucket-blobs.ts'),
    import('../util/bucket.ts'),
  ])
  return createBucketBlobs(openBucket(settings))
}

/** A renewal that takes longer is of no use. */
const leaseLimits = { statementMs: 3000, connectMs: 2000, patienceMs: 0 }

/** Files that belong to chats, not to a process: another node must find them when it takes a chat over. */
const sharedFolders = ['sessions', 'undo', 'trash', 'worktrees']

function shareFolders(home: string, folder: string): void {
  for (const name of sharedFolders) {
    const [link, target] = [path.join(home, name), path.join(folder, name)]
    mkdirSync(target, { recursive: true, mode: 0o700 })
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) continue
    if (existsSync(link) && readdirSync(link).length > 0)
      throw new NamedError('FolderInUse', `${link} has files of its own. Move them to ${target} first.`)
    rmSync(link, { recursive: true, force: true })
    symlinkSync(target, link)
  }
}

function clusterTransaction(inside: Store): KyselyDb<ClusterTables> {
  return transactionOf(inside) as unknown as KyselyDb<ClusterTables>
}

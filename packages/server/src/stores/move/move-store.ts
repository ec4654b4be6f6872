import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { NamedError } from '@troupe/protocol'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { createBlobFiles } from '../../blobs/blob-files.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { createPostgresBlobs } from '../postgres/blobs.ts'
import { migrateDatabase } from '../postgres/open-postgres.ts'
import { createPostgresPool } from '../postgres/pool.ts'
import type { Db, Log } from '../sql/context.ts'
import type { Tables } from '../sql/tables.ts'
import { hiddenWorkspace } from '../sql/hidden-sessions.ts'
import { openSqliteDatabase } from '../sqlite.ts'
import { assertEmpty, copyTables, type OnProgress, type TableReport, tablesOf } from './copy-tables.ts'

/** The place of servers that name no other. */
const defaultPlace = 'main'

export interface MoveOptions {
  /** The caller must hold its lock. */
  home: string
  /** URL of the Postgres database. */
  url: string
  /** Names the disk with the folders of the home, among those of a team. */
  place?: string
  onProgress?: OnProgress
  log?: Log
}

export interface MoveReport {
  tables: TableReport[]
  blobs: number
  /** Tables with rows that the target cannot hold. */
  missing: { name: string; rows: number }[]
}

/**
 * Copies the database and the blobs of a home into Postgres, in one commit: after an interruption, begin again. The home
 * stays as it is. Throws `TargetNotEmpty` and `MoveFailed`.
 */
export async function moveToPostgres(options: MoveOptions): Promise<MoveReport> {
  const { home, url, onProgress = () => undefined } = options
  const file = path.join(home, 'troupe.db')
  if (!existsSync(file)) throw new NamedError('NothingToMove', `${home} has no database.`, { status: 404 })
  const { db: source } = await openSqliteDatabase(file, Date.now)
  try {
    return await withPostgres(options, async (db, blobs) => {
      const { tables, missing } = await tablesOf(source, db, source)
      if (missing.length > 0) throw unknownTables(missing)
      await assertEmpty(db, tables, 'The database')
      const count = await copyBlobs(createBlobFiles(path.join(home, 'blobs')), blobs, onProgress)
      const reports = await db.transaction().execute(async (transaction) => {
        // A server that starts meanwhile waits.
        await sql`lock table workspace, session, setting in exclusive mode`.execute(transaction)
        await assertEmpty(transaction, tables, 'The database')
        const copied = await copyTables(source, transaction, tables, onProgress)
        await prepareForTeam(transaction, options.place)
        return copied
      })
      await sql`analyze`.execute(db)
      return { tables: reports, blobs: count, missing }
    })
  } finally {
    await source.destroy()
  }

  function unknownTables(missing: MoveReport['missing']): NamedError {
    const names = missing.map(({ name }) => name).join(', ')
    return new NamedError('MoveFailed', `Postgres has no place for these tables: ${names}.`, {
      status: 500,
      data: { url: describeUrl(url) },
    })
  }
}

/**
 * Copies the database and its blobs into a home without one, as they are at one moment. The database file appears when
 * it is complete: after an interruption, begin again. Throws `TargetNotEmpty` and `MoveFailed`.
 */
export async function moveToHome(options: MoveOptions): Promise<MoveReport> {
  const { home, onProgress = () => undefined } = options
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const file = path.join(home, 'troupe.db')
  if (existsSync(file))
    throw new NamedError('TargetNotEmpty', `${file} exists already. Choose another folder.`, { status: 409 })
  const part = `${file}.part`
  removeDatabase(part)
  const { database, db: target } = await openSqliteDatabase(part, Date.now)
  try {
    const report = await withPostgres(options, async (db, blobs) => {
      const count = await copyBlobs(blobs, createBlobFiles(path.join(home, 'blobs')), onProgress)
      const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
      return snapshot.execute(async (source) => {
        const { tables, missing } = await tablesOf(target, source, source)
        await assertOnePlace(source)
        const reports = await target.transaction().execute(async (transaction) => {
          const copied = await copyTables(source, transaction, tables, onProgress)
          await transaction.updateTable('workspace').set({ place: '' }).execute()
          return copied
        })
        return { tables: reports, blobs: count, missing: missing.filter(({ name }) => !/^blob(_chunk)?$/.test(name)) }
      })
    })
    database.exec('pragma wal_checkpoint(truncate)')
    await target.destroy()
    renameSync(part, file)
    syncFolder(home)
    return report
  } finally {
    if (database.isOpen) await target.destroy()
    removeDatabase(part)
  }
}

/** Every folder is on the disk of one place. Members see a blob through a chat that has it. */
async function prepareForTeam(db: Db, place = defaultPlace): Promise<void> {
  await db.updateTable('workspace').set({ place }).where('id', '<>', hiddenWorkspace).execute()
  await sql`insert into session_blob (sha256, session_id)
    select distinct found[1], session_id from message, regexp_matches(parts, '[0-9a-f]{64}', 'g') as found
    where exists (select 1 from blob where sha256 = found[1])
    on conflict do nothing`.execute(db)
}

/** A home is on one disk. */
async function assertOnePlace(db: Db): Promise<void> {
  const { rows } = await sql<{ path: string }>`
    select path from workspace group by path having count(*) > 1 limit 1`.execute(db)
  if (rows[0] !== undefined)
    throw new NamedError(
      'MoveFailed',
      `The folder ${rows[0].path} exists on several disks of the team. A home can hold only one of them.`,
      { status: 409 },
    )
}

/** Without the password. */
export function describeUrl(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url)
    return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
  } catch {
    return 'postgres'
  }
}

async function withPostgres<T>(
  { url, log = () => undefined }: MoveOptions,
  work: (db: Db, blobs: BlobStore) => Promise<T>,
): Promise<T> {
  await migrateDatabase({ url, log, clock: Date.now, patienceMs: 0 })
  // Blobs use a second connection.
  const pool = createPostgresPool({ url, max: 2, statementMs: 0, lockMs: 0, log })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(db, createPostgresBlobs(pool, Date.now))
  } finally {
    // Not through Kysely, which ends only a pool that it has used.
    await pool.end()
  }
}

/** Returns the number of blobs. Bytes that are there already are not sent again. */
async function copyBlobs(source: BlobStore, target: BlobStore, onProgress: OnProgress): Promise<number> {
  const all = await Array.fromAsync(source.list())
  for (const [index, sha256] of all.entries()) {
    const blob = await source.open(sha256)
    if (blob === undefined) throw brokenBlob(sha256)
    if ((await target.open(sha256))?.size !== blob.size) {
      const stored = await target.putStream(blob.read(), blob.mediaType)
      if (stored.sha256 !== sha256) {
        await target.remove(stored.sha256)
        throw brokenBlob(sha256)
      }
    }
    onProgress({ what: 'blobs', done: index + 1, total: all.length })
  }
  return all.length
}

function brokenBlob(sha256: string): NamedError {
  return new NamedError('MoveFailed', `The file ${sha256} in blobs is damaged. Move it elsewhere, then try again.`, {
    status: 500,
  })
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { NamedError } from '@troupe/protocol'
import { runInWorker } from '../util/concurrency.ts'
import type { DatabaseCheck } from './check-database.ts'

export interface DatabaseState {
  exists: boolean
  /** False if a large database was only sampled. */
  whole: boolean
  damage?: NamedError
  /** Set if a later version of Troupe wrote it, so this one cannot open it. */
  newer?: NamedError
  /** True if the user trusts this folder. False if that cannot be read. */
  trusts(folder: string): boolean
}

/**
 * Examines `troupe.db` read-only, even while another process owns the home. `all` reads a large one completely. Runs in
 * a worker thread.
 */
export async function examineDatabase(home: string, all = false): Promise<DatabaseState> {
  const path = join(home, 'troupe.db')
  if (!existsSync(path)) return { exists: false, whole: true, trusts: () => false }
  const file = new URL('./check-database-worker.ts', import.meta.url)
  const { whole, damage, version, trusted } = await runInWorker<DatabaseCheck>(file, { path, all })
  return {
    exists: true,
    whole,
    trusts: (folder) => trusted.includes(folder),
    damage: damage === undefined ? undefined : databaseDamaged(home, damage),
    newer: version > schemaVersion ? newerDatabase(version) : undefined,
  }
}

export function databaseDamaged(home: string, reason: string): NamedError {
  const path = join(home, 'troupe.db')
  const fix = `Move it (and ${path}-wal and ${path}-shm, if they exist) to another folder, then run: troupe import "${join(home, 'sessions')}"`
  const message = `${path} is damaged or not a database (${reason.replace(/\s+/g, ' ')}). It was not changed. ${fix}`
  return new NamedError('DatabaseDamaged', message, { data: { path, fix } })
}

/** Schema version this program writes: the number of migrations. */
export const schemaVersion = 13

export function newerDatabase(version: number, known: number = schemaVersion): NamedError {
  const message = `The database has version ${version}, but this version of Troupe only supports ${known}. Use a newer version of Troupe.`
  return new NamedError('NewerDatabase', message, { status: 409, data: { version, known } })
}

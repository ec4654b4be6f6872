import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { NamedError } from '@troupe/core'
import type { DatabaseCheck } from './check-database.ts'
import { databaseDamaged } from './database-damaged.ts'
import { newerDatabase, schemaVersion } from './schema-version.ts'

/** What can be said of a home's database without owning it. */
export interface DatabaseState {
  exists: boolean
  damage?: NamedError
  /** A later version of Troupe wrote it, so this one does not open it. */
  newer?: NamedError
  /** Whether the person trusts this folder; false where that cannot be read. */
  trusts(folder: string): boolean
}

/**
 * Reads the whole of `troupe.db` and changes nothing, also while another process owns the home. Away from the thread that
 * asks: others have their turn meanwhile.
 */
export async function examineDatabase(home: string): Promise<DatabaseState> {
  const path = join(home, 'troupe.db')
  if (!existsSync(path)) return { exists: false, trusts: () => false }
  const { damage, version, trusted } = await checkApart(path)
  return {
    exists: true,
    trusts: (folder) => trusted.includes(folder),
    ...(damage !== undefined && { damage: databaseDamaged(home, damage) }),
    ...(version > schemaVersion && { newer: newerDatabase(version) }),
  }
}

function checkApart(path: string): Promise<DatabaseCheck> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./check-database-worker.ts', import.meta.url), { workerData: path, env: {} })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error(`${path} was not examined: the look at it was ended.`)))
  })
}

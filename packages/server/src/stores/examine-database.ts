import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedError } from '@troupe/core'
import { runInWorker } from '../run-apart.ts'
import type { DatabaseCheck } from './check-database.ts'
import { databaseDamaged } from './database-damaged.ts'
import { newerDatabase, schemaVersion } from './schema-version.ts'

/** What can be said of a home's database without owning it. */
export interface DatabaseState {
  exists: boolean
  /** Whether all of it was read, or of a large one only some. */
  whole: boolean
  damage?: NamedError
  /** A later version of Troupe wrote it, so this one does not open it. */
  newer?: NamedError
  /** Whether the person trusts this folder; false where that cannot be read. */
  trusts(folder: string): boolean
}

/**
 * Looks at `troupe.db` and changes nothing, also while another process owns the home; `all` reads all of a large one.
 * Away from the thread that asks: others have their turn meanwhile.
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
    ...(damage !== undefined && { damage: databaseDamaged(home, damage) }),
    ...(version > schemaVersion && { newer: newerDatabase(version) }),
  }
}

import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** A whole, synced copy of an open database: an older copy of that name stays until the new one is complete. */
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

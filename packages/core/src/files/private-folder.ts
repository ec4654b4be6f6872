import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * The folder of this user for temporary files that outlive a process. Everybody can write where it lies, so one that
 * somebody else made, that others can open, or that leads elsewhere is not used: a new one with a random name is.
 */
export function privateTemporaryFolder(within = tmpdir()): string {
  const own = process.getuid?.()
  const folder = path.join(within, `troupe-${own ?? 'user'}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It is there, or cannot be made: both are seen below.
  }
  try {
    const found = lstatSync(folder)
    const isOurs = own === undefined || (found.uid === own && (found.mode & 0o077) === 0)
    if (found.isDirectory() && isOurs) return folder
  } catch {
    // Gone again: another one is made.
  }
  return mkdtempSync(`${folder}-`)
}

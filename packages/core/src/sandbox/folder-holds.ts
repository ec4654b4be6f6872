import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { processStartTime } from '../run/process-start-time.ts'

/**
 * Folders that stand where nothing may come to be while something runs: one can be mounted over only what is there. Each
 * has a folder in it for everyone who needs it, named after their process, so that several can share one, and whoever
 * comes later can tell what a crash left behind. Git does not see them: they have no files.
 */
export class FolderHolds {
  private readonly counts = new Map<string, number>()
  private readonly name = `held-${process.pid}-${birthOf(process.pid)}-${randomBytes(4).toString('hex')}`

  /** False when the folder cannot be made, where nobody else can make it either. */
  hold(folder: string): boolean {
    const count = this.counts.get(folder) ?? 0
    if (count === 0 && !this.make(folder)) return false
    this.counts.set(folder, count + 1)
    return true
  }

  release(folder: string): void {
    const count = this.counts.get(folder) ?? 0
    if (count > 1) return void this.counts.set(folder, count - 1)
    this.counts.delete(folder)
    remove(path.join(folder, this.name))
    remove(folder)
  }

  private make(folder: string): boolean {
    // Another may remove it between the two steps.
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        mkdirSync(folder)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'EEXIST') return false
      }
      try {
        mkdirSync(path.join(folder, this.name))
        sweepHolds(folder)
        return true
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ENOENT') return false
      }
    }
    return false
  }
}

const pattern = /^held-(\d+)-([0-9a-f]{12})-[0-9a-f]{8}$/

/** Tells two processes with one number apart. */
function birthOf(pid: number): string {
  return createHash('sha256')
    .update(processStartTime(pid) ?? '')
    .digest('hex')
    .slice(0, 12)
}

/** Whether a folder is there for no other reason than being held. */
export function isHeldOnly(folder: string): boolean {
  try {
    const entries = readdirSync(folder)
    return entries.length > 0 && entries.every((entry) => pattern.test(entry))
  } catch {
    return false
  }
}

/** Removes what processes that are gone held, and the folder if nobody else needs it. */
export function sweepHolds(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const [, pid, began] = pattern.exec(entry) ?? []
    if (pid !== undefined && birthOf(Number(pid)) !== began) remove(path.join(folder, entry))
  }
}

/** Only what is empty goes. */
function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  }
}

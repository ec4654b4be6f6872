import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { processStartTime } from '../process/start-process.ts'

/**
 * Milliseconds an unused folder stays. The next command may need it, and by then the mounts of the last one are gone.
 */
const lingerMs = 100

interface Placeholder {
  count: number
  /** Subfolder that marks the holder. */
  marker: string
  timer?: NodeJS.Timeout | undefined
}

/**
 * Folders that block a path while a command runs, because only an existing path can be mounted over. Each contains a
 * marker folder per holder, named after the holder's process. So several processes can share one, and leftovers of a
 * crash are recognizable. Git ignores them because they contain no files.
 */
export class PlaceholderFolders {
  private readonly holds = new Map<string, Placeholder>()

  constructor() {
    if (instances.size === 0) process.once('exit', removeAll)
    instances.add(this)
  }

  /** Returns false if the folder cannot be created. Then nobody else can create it either. */
  hold(folder: string): boolean {
    const known = this.holds.get(folder)
    if (known !== undefined) {
      clearTimeout(known.timer)
      known.count++
      return true
    }
    const marker = make(folder)
    if (marker === undefined) return false
    this.holds.set(folder, { count: 1, marker })
    return true
  }

  /** Removes the folder after a moment, unless it is held again. */
  release(folder: string): void {
    const hold = this.holds.get(folder)
    if (hold === undefined || --hold.count > 0) return
    hold.timer = setTimeout(() => {
      this.holds.delete(folder)
      void remove(hold.marker).then(() => remove(folder))
    }, lingerMs).unref()
  }

  /** Removes an unused folder immediately, because something may be created in its place. */
  letGo(folder: string): void {
    const hold = this.holds.get(folder)
    if (hold === undefined || hold.count > 0) return
    clearTimeout(hold.timer)
    this.holds.delete(folder)
    removeSync(hold.marker)
    removeSync(folder)
  }

  removeNow(): void {
    for (const [folder, { marker }] of this.holds) {
      removeSync(marker)
      removeSync(folder)
    }
    this.holds.clear()
  }
}

const instances = new Set<PlaceholderFolders>()

function removeAll(): void {
  for (const one of instances) one.removeNow()
}

function make(folder: string): string | undefined {
  const marker = path.join(folder, `held-${process.pid}-${ownStartTime}-${randomBytes(4).toString('hex')}`)
  // Another process may remove the folder between the two steps.
  for (let attempt = 0; attempt < 20; attempt++) {
    if (makeOne(folder) === 'refused') return undefined
    const made = makeOne(marker)
    if (made === 'refused') return undefined
    if (made !== 'made') continue
    sweepPlaceholders(folder)
    return marker
  }
  return undefined
}

function makeOne(folder: string): 'made' | 'there' | 'no folder' | 'refused' {
  try {
    mkdirSync(folder)
    return 'made'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EEXIST' ? 'there' : code === 'ENOENT' ? 'no folder' : 'refused'
  }
}

const pattern = /^held-(\d+)-([0-9a-f]{12})-[0-9a-f]{8}$/
const ownStartTime = startTimeOf(process.pid)

/** An empty folder that changed more recently than this may be in the middle of a removal. */
const removalMs = 5000

/** True if the folder exists only as a placeholder. */
export function isPlaceholder(folder: string): boolean {
  try {
    const entries = readdirSync(folder)
    if (entries.length === 0) return Date.now() - statSync(folder).mtimeMs < removalMs
    return entries.every((entry) => pattern.test(entry))
  } catch {
    return false
  }
}

function sweepPlaceholders(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const [, pid = '', birth = ''] = pattern.exec(entry) ?? []
    if (pid !== '' && !isAlive(Number(pid), birth)) removeSync(path.join(folder, entry))
  }
}

function isAlive(pid: number, birth: string): boolean {
  return (pid === process.pid ? ownStartTime : startTimeOf(pid)) === birth
}

/** Distinguishes two processes with the same pid. */
function startTimeOf(pid: number): string {
  return createHash('sha256')
    .update(processStartTime(pid) ?? '')
    .digest('hex')
    .slice(0, 12)
}

/** Only empty folders are removed. Folders with content stay. */
function remove(folder: string): Promise<void> {
  return rmdir(folder).catch(() => undefined)
}

function removeSync(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Only empty folders are removed.
  }
}

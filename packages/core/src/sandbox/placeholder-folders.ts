import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import path from 'node:path'
import { processStartTime } from '../process/start-process.ts'

/** How long a folder stays when nobody needs it: the next command may, and by then the last one's mounts are gone. */
const lingerMs = 100

interface Placeholder {
  count: number
  /** Says in the folder who needs it. */
  marker: string
  timer?: NodeJS.Timeout | undefined
}

/**
 * Folders that stand where nothing may come to be while something runs: one can be mounted over only what is there. Each
 * has a folder in it for everyone who needs it, named after their process, so that several can share one, and whoever
 * comes later can tell what a crash left behind. Git does not see them: they have no files.
 */
export class PlaceholderFolders {
  private readonly holds = new Map<string, Placeholder>()

  constructor() {
    if (instances.size === 0) process.once('exit', removeAll)
    instances.add(this)
  }

  /** False when the folder cannot be made, where nobody else can make it either. */
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

  /** It goes a moment later, if nobody holds it again. */
  release(folder: string): void {
    const hold = this.holds.get(folder)
    if (hold === undefined || --hold.count > 0) return
    hold.timer = setTimeout(() => {
      this.holds.delete(folder)
      void remove(hold.marker).then(() => remove(folder))
    }, lingerMs).unref()
  }

  /** What lingers goes at once: somebody may put something in its place. */
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

/** The folder, with a new marker in it. */
function make(folder: string): string | undefined {
  const marker = path.join(folder, `held-${process.pid}-${ownStartTime}-${randomBytes(4).toString('hex')}`)
  // Another may remove the folder between the two steps.
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

/** An empty folder that changed less than so long ago may be one that is being removed. */
const removalMs = 5000

/** Whether a folder is there for no other reason than being held. */
export function isPlaceholder(folder: string): boolean {
  try {
    const entries = readdirSync(folder)
    if (entries.length === 0) return Date.now() - statSync(folder).mtimeMs < removalMs
    return entries.every((entry) => pattern.test(entry))
  } catch {
    return false
  }
}

/** Removes what processes that are gone held. */
function sweepPlaceholders(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const [, pid = '', birth = ''] = pattern.exec(entry) ?? []
    if (pid !== '' && !isAlive(Number(pid), birth)) removeSync(path.join(folder, entry))
  }
}

function isAlive(pid: number, birth: string): boolean {
  return (pid === process.pid ? ownStartTime : startTimeOf(pid)) === birth
}

/** Tells two processes with one number apart. */
function startTimeOf(pid: number): string {
  return createHash('sha256')
    .update(processStartTime(pid) ?? '')
    .digest('hex')
    .slice(0, 12)
}

/** Only what is empty goes; what somebody has put something into stays. */
function remove(folder: string): Promise<void> {
  return rmdir(folder).catch(() => undefined)
}

function removeSync(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // The same.
  }
}

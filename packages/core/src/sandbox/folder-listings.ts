import {
  chmodSync,
  closeSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isInside } from '../files/resolve-path.ts'

/** Creating this many takes 50 to 200 ms. */
const mostEntries = 1000
/** Milliseconds of work before the event loop gets a turn. */
const sliceMs = 10

/**
 * Stand-ins for folders that may be listed but not read: same names, sizes and times, but empty files that cannot be
 * opened. Valid for one sandbox start.
 */
export class FolderListings {
  private folder: string | undefined
  private readonly made: { of: string; at: string }[] = []
  private entries = 0
  private sliceEnd = 0

  /** Returns the path of a listing. Throws an Error for the model if the folder has too many entries. */
  async make(place: string, tree: boolean): Promise<string> {
    this.folder ??= mkdtempSync(path.join(tmpdir(), 'troupe-list-'))
    const at = path.join(this.folder, String(this.made.length))
    try {
      this.sliceEnd = performance.now() + sliceMs
      await this.copy(place, at, tree ? Infinity : 1)
    } catch (error) {
      this.remove()
      throw error
    }
    this.made.push({ of: place, at })
    return at
  }

  prepare(mounted: readonly string[]): void {
    for (const { of, at } of this.made) {
      for (const place of mounted) {
        if (place === of || !isInside(place, of)) continue
        const stand = path.join(at, path.relative(of, place))
        if (lstatSync(stand, { throwIfNoEntry: false }) !== undefined) continue
        const isFile = lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === false
        mkdirSync(isFile ? path.dirname(stand) : stand, { recursive: true })
        if (isFile) closeSync(openSync(stand, 'w', 0))
      }
    }
  }

  remove(): void {
    if (this.folder === undefined) return
    // A failure leaves empty files in the temporary folder, which the system cleans.
    rm(this.folder, { recursive: true, force: true }).catch(() => undefined)
    this.folder = undefined
  }

  private async copy(place: string, at: string, depth: number): Promise<void> {
    if (performance.now() > this.sliceEnd) {
      await setImmediate()
      this.sliceEnd = performance.now() + sliceMs
    }
    this.entries++
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined) return
    if (stats.isSymbolicLink()) return symlinkSync(readlinkSync(place), at)
    if (!stats.isDirectory()) return writeStandIn(at, stats)
    const names = depth > 0 ? namesIn(place) : []
    if (this.entries + names.length > mostEntries)
      throw new Error(`It is too large to list together with other programs. List it with a separate command.`)
    mkdirSync(at)
    for (const name of names) await this.copy(path.join(place, name), path.join(at, name), depth - 1)
    utimesSync(at, stats.atime, stats.mtime)
    chmodSync(at, (stats.mode & 0o777) | 0o700)
  }
}

function writeStandIn(at: string, { size, atime, mtime }: Stats): void {
  const file = openSync(at, 'wx', 0)
  try {
    ftruncateSync(file, size)
    futimesSync(file, atime, mtime)
  } finally {
    closeSync(file)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { promisify } from 'node:util'

export interface Snapshot {
  bytes: Buffer
  /** Computed on first use. For a large file, hashing takes as long as writing. */
  readonly sha256: string
  stats: BigIntStats
  /** Milliseconds. */
  takenAt: number
}

/** Larger files are left to shell commands, not held in memory and compared. */
const maxBytes = 256 * 2 ** 20

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/**
 * Opens only the file at a resolved path. Does not follow a link put there meanwhile, and does not block on a pipe. The
 * caller closes it.
 */
export function openFile(path: string): { fd: number; stats: BigIntStats } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd, { bigint: true })
    const opened = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(path)
    if (opened !== path) throw new Error(`"${path}" was moved while it was being opened. Try again.`)
    return { fd, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export function readError(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return error as Error
  const reason =
    {
      EACCES: 'permission denied',
      EPERM: 'the system does not allow it',
      ENOENT: 'it was just deleted',
      ELOOP: 'it was just replaced by a link',
      EISDIR: 'it is a folder',
    }[code] ?? message
  return new Error(`${shown} cannot be read: ${reason}.`, { cause: error })
}

/** Undefined if there is no file. Throws if it is not a regular file, or too large to edit in memory. */
export async function takeSnapshot(
  path: string,
  { shown = path, hashOf }: { shown?: string; hashOf?: ((stats: BigIntStats) => string | undefined) | undefined } = {},
): Promise<Snapshot | undefined> {
  const opened = openIfExists(path, shown)
  if (opened === undefined) return undefined
  const { fd, stats } = opened
  try {
    if (!stats.isFile())
      throw new Error(`"${shown}" is ${stats.isDirectory() ? 'a folder' : 'a special file'}, not a file.`)
    if (stats.size > maxBytes) {
      throw new Error(`"${shown}" is ${stats.size} bytes long, more than this tool can change. Use a command instead.`)
    }
    const takenAt = Date.now()
    const bytes = await readOpenFile(fd, Number(stats.size))
    let sha256: string | undefined
    return {
      bytes,
      get sha256() {
        return (sha256 ??= hashOf?.(stats) ?? sha256Of(bytes))
      },
      stats,
      takenAt,
    }
  } finally {
    closeSync(fd)
  }
}

/** Reads the first bytes of an open file. Reads small sizes synchronously, since a thread pool trip costs more. */
export async function readOpenFile(fd: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const count =
      size <= 2 ** 18
        ? readSync(fd, bytes, length, size - length, length)
        : (await readInto(fd, bytes, length, size - length, length)).bytesRead
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

const readInto = promisify(read)

/**
 * True if the file still matches the snapshot. Compares times and size. Compares bytes if the file changed so shortly
 * before the snapshot that a second change could have the same time.
 */
export async function isUnchanged(path: string, snapshot: Snapshot | undefined): Promise<boolean> {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (now === undefined || snapshot === undefined) return now === undefined && snapshot === undefined
  const { stats, takenAt } = snapshot
  const isSame =
    now.ino === stats.ino && now.mtimeNs === stats.mtimeNs && now.ctimeNs === stats.ctimeNs && now.size === stats.size
  if (isSame && takenAt - Number(stats.mtimeMs) > clockGrainMs) return true
  return now.size === stats.size && hasBytes(path, snapshot.bytes)
}

/** File times advance in steps of up to 10 ms. */
const clockGrainMs = 11

async function hasBytes(path: string, bytes: Buffer): Promise<boolean> {
  const opened = openIfExists(path, path)
  if (opened === undefined) return false
  try {
    return (await readOpenFile(opened.fd, bytes.length)).equals(bytes)
  } finally {
    closeSync(opened.fd)
  }
}

function openIfExists(path: string, shown: string): ReturnType<typeof openFile> | undefined {
  try {
    return openFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw readError(error, shown)
  }
}

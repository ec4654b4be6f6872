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

/** A file as it was at one moment. */
export interface Snapshot {
  bytes: Buffer
  /** Worked out when first asked for: for a long file that takes as long as writing it. */
  readonly sha256: string
  stats: BigIntStats
  /** Milliseconds. */
  takenAt: number
}

/** Beyond this a file is for commands, not for being held in memory and compared. */
const maxBytes = 256 * 2 ** 20

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/**
 * Opens what a resolved path names and nothing else: no link that was put there meanwhile, and without waiting for
 * the other end of a pipe. The caller closes it.
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

/** The text of a failed reading, for the model. */
export function readError(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return error as Error
  const reason =
    {
      EACCES: 'permission denied',
      EPERM: 'the system does not permit it',
      ENOENT: 'it has just been deleted',
      ELOOP: 'it has just been replaced by a link',
      EISDIR: 'it is a folder',
    }[code] ?? message
  return new Error(`${shown} cannot be read: ${reason}.`, { cause: error })
}

/** Undefined when there is no file. Throws when it is not a regular one, or too long to be changed in memory. */
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
      throw new Error(`"${shown}" is ${stats.size} bytes long, more than this tool can change. Use a command for it.`)
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

/** The first bytes of an open file. Few at once: a trip through the thread pool costs more than reading them. */
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
 * Whether the file is still what the snapshot says. Its times and size answer that, unless it was changed so shortly
 * before the snapshot that another change could carry the same time: then its bytes do.
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

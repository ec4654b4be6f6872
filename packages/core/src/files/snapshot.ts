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
import type { AgentState, FileStamp } from '../tool/agent-state.ts'
import { htmlFiles } from './file-kind.ts'

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
      ETIMEDOUT: 'its drive does not respond. Tell the user, and try again later',
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

type Reads = Pick<AgentState, 'reads'>

interface SeenLines {
  first: number
  /** Infinity if the end of the file was reached. */
  last: number
}

/** Records the part of a file shown to the agent. Parts accumulate until the file changes. */
export function recordRead(
  { reads }: Reads,
  path: string,
  file: { stats: BigIntStats; sha256: string },
  seen: SeenLines | 'all' | 'some',
): void {
  const { sha256, stats } = file
  const now = { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size), identity: identityOf(stats) }
  if (seen === 'all') {
    reads.set(path, { ...now, partial: false })
    return
  }
  const earlier = reads.get(path)
  const isSame = earlier !== undefined && !differs(earlier, now)
  if (isSame && !earlier.partial) return
  const shown = isSame ? (earlier.shown ?? []) : []
  const all = seen === 'some' ? shown : mergeRanges([...shown, [seen.first, seen.last]])
  const partial = !(all[0]?.[0] === 1 && all[0][1] === Infinity)
  reads.set(path, { ...now, partial, shown: partial ? all : undefined })
}

export type FileKnowledge = 'all' | 'as-before' | 'part'

export function recordWrite(
  { reads }: Reads,
  path: string,
  sha256: string,
  stats: BigIntStats,
  known: FileKnowledge,
): void {
  const partial = known === 'part' || (known === 'as-before' && (reads.get(path)?.partial ?? true))
  const now = { sha256, mtimeMs: Number(stats.mtimeMs), size: Number(stats.size), identity: identityOf(stats) }
  reads.set(path, { ...now, partial })
}

/**
 * Returns the known hash of a file with these stats. A change within one file system clock tick can go unnoticed, so it
 * proves nothing. Use it to skip hashing where a wrong hash does no harm.
 */
export function knownHash({ reads }: Reads, path: string, stats: BigIntStats): string | undefined {
  const stamp = reads.get(path)
  return stamp !== undefined && stamp.sha256 !== '' && stamp.identity === identityOf(stats) ? stamp.sha256 : undefined
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
}

export function requireRead({ reads }: Reads, path: string, shown: string): void {
  if (!reads.has(path)) throw new Error(`"${shown}" exists and you have not read it yet. Read it first.`)
}

/** True if the agent has read the file's current version. */
export function isCurrent({ reads }: Reads, path: string, now: Snapshot): boolean {
  const stamp = reads.get(path)
  if (stamp === undefined) return false
  const [mtimeMs, size] = [Number(now.stats.mtimeMs), Number(now.stats.size)]
  return !differs(stamp, { sha256: stamp.sha256 === '' ? '' : now.sha256, mtimeMs, size })
}

/** Throws unless the agent has read all of the file's current version. */
export function requireFullyRead(state: Reads, path: string, shown: string, now: Snapshot): void {
  requireRead(state, path, shown)
  if (!isCurrent(state, path, now)) {
    throw new Error(`"${shown}" has changed since you read it. Read it again before you change it.`)
  }
  const stamp = state.reads.get(path)
  if (stamp?.partial !== true) return
  throw new Error(
    `You have read only part of "${shown}", and this would replace all of it. Read the rest first (${htmlFiles.test(path) ? '"raw": true, ' : ''}offset ${firstGap(stamp)}), or use Edit.`,
  )
}

function differs(stamp: FileStamp, now: { sha256: string; mtimeMs: number; size: number }): boolean {
  if (stamp.sha256 !== '' && now.sha256 !== '') return stamp.sha256 !== now.sha256
  return stamp.mtimeMs !== now.mtimeMs || stamp.size !== now.size
}

function firstGap({ shown = [] }: FileStamp): number {
  const [first] = shown
  return first === undefined || first[0] > 1 ? 1 : first[1] + 1
}

function mergeRanges(stretches: [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [first, last] of stretches.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  close,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'

/** New content in a temporary file next to its target. One rename replaces the target atomically. */
export interface PreparedFile {
  /** Moves the file into place. With `isNew`, fails if the target exists by now. */
  commit(options: { isNew: boolean }): void
  /** Deletes the temporary file and any folders created for it. */
  discard(): void
}

/** Permissions and owner of the replaced file. Other attributes are copied. */
interface FileAttributes {
  mode: bigint
  uid: bigint
  gid: bigint
}

/** In team mode: the user and group that new files belong to. */
export interface FileOwner {
  uid: number
  gid: number
}

/** Writes a temporary file in the target's folder, creating the folder if needed. Leaves nothing behind on failure. */
export async function prepareFile(
  target: string,
  pieces: readonly Uint8Array[],
  like?: FileAttributes,
  owner?: FileOwner,
): Promise<PreparedFile> {
  const folder = path.dirname(target)
  const firstMade = mkdirSync(folder, { recursive: true })
  if (firstMade !== undefined && owner !== undefined) giveFolders(folder, firstMade, owner)
  const temporary = path.join(folder, `.troupe-${randomBytes(9).toString('base64url')}.tmp`)
  const discard = (): void => {
    rmSync(temporary, { force: true })
    if (firstMade !== undefined) removeEmptyFolders(folder, firstMade)
  }
  try {
    const fd = openSync(temporary, 'wx', 0o666)
    try {
      await writeAll(fd, pieces)
      if (like !== undefined) {
        if (existsSync(target)) await copyAttributes(target, temporary)
        applyAttributes(fd, like)
      } else if (owner !== undefined) changeOwner(fd, owner.uid, owner.gid)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    discard()
    throw error
  }
  return { discard, commit: ({ isNew }) => (isNew ? linkInPlace(temporary, target) : renameOver(temporary, target)) }
}

/** Freeing the old file's blocks takes as long as writing them. Keeping it open moves that work to another thread. */
function renameOver(temporary: string, target: string): void {
  const old = openOld(target)
  try {
    renameSync(temporary, target)
  } finally {
    if (old !== undefined) close(old)
  }
}

function openOld(target: string): number | undefined {
  try {
    return openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
}

/**
 * Writes all pieces in order. Writes small pieces synchronously, since a thread pool trip costs more than the write.
 */
export async function writeAll(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const length = piece.length - at
      at += length <= 2 ** 16 ? writeSync(fd, piece, at, length) : (await writeFrom(fd, piece, at, length)).bytesWritten
    }
  }
}

const writeFrom = promisify(write)

function linkInPlace(temporary: string, target: string): void {
  try {
    linkSync(temporary, target)
  } catch (error) {
    if (!noHardLinkCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    if (existsSync(target)) throw Object.assign(new Error('file exists', { cause: error }), { code: 'EEXIST' })
    renameSync(temporary, target)
    return
  }
  unlinkSync(temporary)
}

/** Error codes of file systems without hard links. */
const noHardLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

export function writeError(error: unknown, shown: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined) return error as Error
  if (code === 'ETIMEDOUT')
    return new Error(
      `The drive of "${shown}" does not respond, so the file may or may not be written. Tell the user, and read the file before you try again.`,
      { cause: error },
    )
  const reason =
    {
      ENOSPC: 'the disk is full. Free some space, then try again',
      EDQUOT: 'the disk quota is used up. Free some space, then try again',
      EFBIG: 'it would exceed the maximum file size',
      EROFS: 'its file system is read-only',
      EACCES: 'permission denied. Ask the user to change the permissions of the file or its folder',
      EPERM: 'the system does not allow it',
      ENAMETOOLONG: 'its name is too long',
      ENOTDIR: 'a part of its path is a file, not a folder',
      EISDIR: 'it is a folder',
      EEXIST: 'another file was created there in the meantime. Read it first',
    }[code] ?? message
  return new Error(`"${shown}" was not written: ${reason}. Nothing was changed.`, { cause: error })
}

function applyAttributes(fd: number, like: FileAttributes): void {
  const stats = fstatSync(fd)
  const [uid, gid] = [Number(like.uid), Number(like.gid)]
  if (stats.uid !== uid || stats.gid !== gid) changeOwner(fd, uid, gid)
  fchmodSync(fd, Number(like.mode) & 0o7777)
}

/** Only root can change the owner. For other users the file stays their own. */
function changeOwner(fd: number, uid: number, gid: number): void {
  try {
    fchownSync(fd, uid, gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

function giveFolders(folder: string, top: string, { uid, gid }: FileOwner): void {
  for (let each = folder; ; each = path.dirname(each)) {
    lchownSync(each, uid, gid)
    if (each === top) return
  }
}

export function removeEmptyFolders(folder: string, top: string): void {
  for (let each = folder; ; each = path.dirname(each)) {
    try {
      rmdirSync(each)
    } catch {
      return
    }
    if (each === top) return
  }
}

/** Reads two paths per round and ends each round with an empty line. */
const copyScript =
  'while IFS= read -r from && IFS= read -r to; do /bin/cp --attributes-only --preserve=mode,xattr -- "$from" "$to" 2>/dev/null; echo; done'
const idleMs = 10_000
const roundMs = 2000

type HelperProcess = ChildProcessByStdio<Writable, Readable, null>

let helper: { child: HelperProcess; waiting: (() => void)[]; idle: NodeJS.Timeout } | undefined
let isUnavailable = process.platform !== 'linux'

/**
 * Copies extended attributes and the access control list, which Node cannot do. Uses the system's `cp` from a small
 * shell that is kept alive for a while: spawning from a large process costs 20 ms or more, from the shell 2 ms. If `cp`
 * fails, the file does without them. Never throws.
 */
export function copyAttributes(from: string, to: string): Promise<void> {
  if (isUnavailable || /\n/.test(from) || /\n/.test(to)) return Promise.resolve()
  const { child, waiting, idle } = (helper ??= startHelper())
  idle.refresh()
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), roundMs)
    waiting.push(() => {
      clearTimeout(late)
      resolve()
    })
    child.stdin.write(`${from}\n${to}\n`)
  })
}

function startHelper(): NonNullable<typeof helper> {
  const child: HelperProcess = spawn('/bin/sh', ['-c', copyScript], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    cwd: '/',
  })
  const waiting: (() => void)[] = []
  const over = (): void => {
    if (helper?.child === child) helper = undefined
    clearTimeout(idle)
    for (const done of waiting.splice(0)) done()
  }
  const idle = setTimeout(() => {
    if (waiting.length > 0) return void idle.refresh()
    if (helper?.child === child) helper = undefined
    child.stdin.end()
  }, idleMs)
  child.on('error', () => {
    isUnavailable = true
    over()
  })
  child.on('close', over)
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (bytes: Uint8Array) => {
    for (const done of waiting.splice(0, bytes.length)) done()
  })
  // Do not keep the process alive. The shell exits when its stdin closes.
  idle.unref()
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as Socket).unref()
  return { child, waiting, idle }
}

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NamedError } from '@troupe/protocol'

/** The folder with all of a user's data: `$TROUPE_HOME`, else `~/.troupe`. */
export interface Home {
  path: string
  /** Token that programs send as `Authorization: Bearer …`. Kept between starts. */
  token: string
  /** Corrected and open problems, as sentences. */
  warnings: string[]
}

/** The process that holds a home. `url` is null while it starts, or if it does not listen. */
export interface Owner {
  pid: number
  url: string | null
  port: number | null
  startedAt: number
}

/** Held until released or until the process exits for any reason. */
export interface HomeLock {
  announce(where: { url: string; port: number }): void
  release(): void
}

/** Finds or creates the home. Throws `HomeNotFolder`, `HomeNotYours` or `HomeNotWritable`. */
export function openHome(options: { path?: string; env?: NodeJS.ProcessEnv; isTeam?: boolean } = {}): Home {
  const wanted = resolveHome(options)
  const folder = openFolder(wanted)
  const warnings: string[] = []
  // Users of members pass through the home of a team to what is theirs.
  const isTeam = options.isTeam === true || existsSync(path.join(folder, 'people'))
  const closed = isTeam ? 0o066 : 0o077
  if ((statSync(folder).mode & closed) !== 0) closeToOthers(folder, warnings)
  return { path: folder, token: openToken(path.join(folder, 'token'), warnings), warnings }
}

function closeToOthers(folder: string, warnings: string[]): void {
  const could = (statSync(folder).mode & 0o022) === 0 ? 'look into' : 'write into'
  try {
    chmodSync(folder, 0o700)
    warnings.push(`Other users on this machine could ${could} ${folder}. This is fixed now.`)
  } catch {
    warnings.push(`Other users on this machine can ${could} ${folder}. Run "chmod 700 ${folder}".`)
  }
}

/** Returns the home's path without touching the disk. */
export function resolveHome(options: { path?: string; env?: NodeJS.ProcessEnv } = {}): string {
  const wanted = options.path || (options.env ?? process.env)['TROUPE_HOME'] || path.join(homedir(), '.troupe')
  return path.resolve(wanted.replace(/^~(?=\/|$)/, homedir()))
}

/**
 * Locks the home for this process, or returns its owner (undefined if the owner is not yet known). The lock is an open
 * transaction on a SQLite file: only one of two simultaneous starts gets it, and the kernel releases it on exit.
 * Nothing else may open that file, because closing it would release the lock.
 */
export function lockHome(home: Pick<Home, 'path'>): HomeLock | { ownedBy: Owner | undefined } {
  const ownerFile = path.join(home.path, 'owner.json')
  const file = path.join(home.path, 'lock')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if (isBusy(error)) return { ownedBy: findOwner(home) }
    throw new NamedError('HomeNotLockable', `${file} could not be locked: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  chmodSync(file, 0o600)
  // Left by a killed owner.
  rmSync(ownerFile, { force: true })
  const owner: Owner = { pid: process.pid, url: null, port: null, startedAt: Date.now() }
  writeOwner(ownerFile, owner)
  const held = database
  locks.add(held)
  return {
    announce: ({ url, port }) => writeOwner(ownerFile, { ...owner, url, port }),
    release() {
      if (!locks.delete(held)) return
      rmSync(ownerFile, { force: true })
      held.close()
    },
  }
}

/** Keeps references: the garbage collector would close an unreferenced database and release its lock. */
const locks = new Set<DatabaseSync>()

function isBusy(error: unknown): boolean {
  const busy = 5
  return error instanceof Error && 'errcode' in error && error.errcode === busy
}

/** Not synced, since it need not survive a crash. */
function writeOwner(file: string, owner: Owner): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 })
  renameSync(draft, file)
}

/**
 * Returns the owner if it holds the lock and listens. A killed owner leaves its address behind, where anyone may listen
 * now, so only a lock holder may receive the token.
 */
export function currentOwner(home: Pick<Home, 'path'>): Owner | undefined {
  if (!findOwner(home)?.url) return undefined
  const lock = lockHome(home)
  if ('ownedBy' in lock) return lock.ownedBy
  lock.release()
  return undefined
}

/** Returns the claimed owner, or undefined if that process is gone. Only `lockHome` knows for certain. */
export function findOwner(home: Pick<Home, 'path'>): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path.join(home.path, 'owner.json'), 'utf8')) as Owner
    process.kill(owner.pid, 0)
    return owner
  } catch {
    return undefined
  }
}

function openFolder(wanted: string): string {
  try {
    makeFolder(wanted)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new NamedError('HomeNotFolder', `${wanted} is not a folder. Set TROUPE_HOME to a folder.`, { cause: error })
    }
    throw notWritable(wanted, error)
  }
  const folder = realpathSync(wanted)
  const { uid } = statSync(folder)
  const own = process.getuid?.()
  if (own !== undefined && uid !== own) {
    const message = `${folder} belongs to another user (uid ${uid}; you are ${own}). Set TROUPE_HOME to a folder you own.`
    throw new NamedError('HomeNotYours', message)
  }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw notWritable(folder, error)
  }
  return folder
}

/** Node's recursive `mkdir` never returns if the kernel reports ENOENT below an existing folder, as in /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = path.dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it first.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

function notWritable(folder: string, cause: unknown): NamedError {
  const message = `${folder} is not writable (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'}). Set TROUPE_HOME to a writable folder.`
  return new NamedError('HomeNotWritable', message, { cause })
}

function openToken(file: string, warnings: string[]): string {
  const found = readToken(file)
  if (found === undefined) return createToken(file)
  if ((statSync(file).mode & 0o077) !== 0) {
    chmodSync(file, 0o600)
    warnings.push(
      `Other users on this machine could read ${file}. This is fixed now. To get a new token, delete the file.`,
    )
  }
  if (/^[\x21-\x7e]{32,}$/.test(found)) return found
  warnings.push(`${file} had no usable token, so a new one was created.`)
  rmSync(file)
  return createToken(file)
}

/** Two concurrent creators get the same token: linking fails if the file exists. */
function createToken(file: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeSynced(draft, randomBytes(32).toString('base64url'))
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems do not support links. There the last writer wins.
    if (['EPERM', 'ENOTSUP', 'ENOSYS'].includes(code)) renameSync(draft, file)
    else if (code !== 'EEXIST') throw notWritable(path.dirname(file), error)
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}

function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new NamedError('HomeNotWritable', `${file} could not be read: ${(error as Error).message}.`, { cause: error })
  }
}

/** Replaces a file atomically. Only its owner can read it. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeSynced(draft, text)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function writeSynced(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

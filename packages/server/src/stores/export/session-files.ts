import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isId } from '@troupe/protocol'

/** Windows has no such flag. Only the check before opening protects there. */
const noFollow = constants.O_NOFOLLOW ?? 0

/**
 * The files in `sessions/`, written without fsync: the database is the source of truth and repairs them. Links in that
 * folder are not followed. A link in place of a file is replaced, and one in place of a folder is an error.
 */
export interface SessionFiles {
  path(sessionId: string, file: string): string
  /** Size of a regular file in bytes, or undefined if there is none. */
  size(path: string): number | undefined
  read(path: string, from: number, to: number): string
  readAll(path: string): string | undefined
  /** Truncates the file to `size` bytes and appends. */
  append(path: string, size: number, text: string): void
  /** Replaces the file atomically. Readers see the old or the new one. */
  replace(path: string, write: (append: (text: string) => void) => Promise<void> | void): Promise<void>
  removeSession(sessionId: string): Promise<void>
  removeAgent(sessionId: string, agentId: string): void
  agentFolders(sessionId: string): string[]
}

export const sessionFile = 'session.json'

export function createSessionFiles(root: string): SessionFiles {
  function makeFolder(path: string): void {
    if (path === root) {
      mkdirSync(root, { recursive: true, mode: 0o700 })
      return
    }
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return
    if (stats) throw new Error(`${path} is not a folder of ours; remove it to have the session exported again`)
    makeFolder(dirname(path))
    mkdirSync(path, { mode: 0o700 })
  }

  function size(path: string): number | undefined {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? stats.size : undefined
  }

  return {
    size,

    path: (sessionId, file) => join(root, sessionId, file),

    read(path, from, to) {
      const file = openSync(path, constants.O_RDONLY | noFollow)
      try {
        const bytes = Buffer.alloc(to - from)
        let at = 0
        while (at < bytes.length) {
          const count = readSync(file, bytes, at, bytes.length - at, from + at)
          if (count === 0) break
          at += count
        }
        return bytes.toString('utf8', 0, at)
      } finally {
        closeSync(file)
      }
    },

    readAll(path) {
      if (size(path) === undefined) return undefined
      return readFileSync(path, 'utf8')
    },

    append(path, size, text) {
      const file = openSync(path, constants.O_RDWR | noFollow)
      try {
        if (fstatSync(file).size > size) ftruncateSync(file, size)
        writeAll(file, Buffer.from(text), size)
      } finally {
        closeSync(file)
      }
    },

    async replace(path, write) {
      makeFolder(dirname(path))
      const part = `${path}.part`
      const file = openNew(part)
      try {
        let at = 0
        await write((text) => {
          const bytes = Buffer.from(text)
          writeAll(file, bytes, at)
          at += bytes.length
        })
      } finally {
        closeSync(file)
      }
      renameSync(part, path)
    },

    removeSession: (sessionId) => rm(join(root, sessionId), { recursive: true, force: true }),

    removeAgent: (sessionId, agentId) =>
      rmSync(join(root, sessionId, 'agents', agentId), { recursive: true, force: true }),

    agentFolders(sessionId) {
      const folder = join(root, sessionId, 'agents')
      if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
      return readdirSync(folder).filter(isId)
    },
  }
}

/** Creates a new file, replacing any leftover of a crash or another program. */
function openNew(path: string): number {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path, { force: true })
    return openSync(path, flags, 0o600)
  }
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  let at = 0
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, position + at)
}

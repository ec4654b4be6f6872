import { Buffer } from 'node:buffer'
import {
  appendFileSync,
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs'
import { open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Change, ChangeMark, RanCommand, ReplacedPart } from '../tool/undo-journal.ts'
import { writeAll } from './atomic-write.ts'
import { withPathLocks } from './file-transaction.ts'
import { sha256Of } from './snapshot.ts'

/** Line of the index. The index is append-only. */
type IndexLine =
  | {
      type: 'before'
      id: string
      mark: ChangeMark
      path: string
      before: string | null
      /** Object with a reverse patch, if the full content is not stored. */
      reverse?: string
      /** Bytes of the stored object. */
      size: number
      mode?: number
      folder?: string
      createdAt: number
      undoes?: string
    }
  | { type: 'after'; id: string; after: string | null }
  | { type: 'cancel'; id: string }
  | ({ type: 'command' } & RanCommand)

export type StoredChange = Omit<Change, 'undone'> & { reverse?: string; size: number; mode?: number; folder?: string }

interface UndoIndex {
  /** Oldest first, as of the last `refresh`. */
  readonly changes: Map<string, StoredChange>
  readonly commands: RanCommand[]
  /** Reads lines appended since, by any writer. */
  refresh(): Promise<void>
  /** `sync`: durable once the promise resolves. */
  append(line: IndexLine, options: { sync: boolean }): Promise<void>
  /** Refreshes, then rewrites the index without removed entries. Runs `tidy` before anyone can append again. */
  rewrite(isGone: (entry: StoredChange | RanCommand) => boolean, tidy: () => Promise<void>): Promise<void>
}

/**
 * Opens `index.jsonl`. Skips unreadable lines, including a last line torn by a crash, which the next append closes off.
 * One process may open a folder several times, and each instance reads the others' lines.
 */
export function openUndoIndex(folder: string): UndoIndex {
  const file = path.join(folder, 'index.jsonl')
  const changes = new Map<string, StoredChange>()
  let commands: RanCommand[] = []
  let queue: { text: string; sync: boolean }[] = []
  let flushing: Promise<void> | undefined
  /** Offset read so far, and the inode of that file. */
  let read = { offset: 0, inode: 0 }

  function refresh(): void {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats !== undefined && stats.ino === read.inode && stats.size === read.offset) return
    if (stats === undefined || stats.ino !== read.inode || stats.size < read.offset) {
      changes.clear()
      commands = []
      read = { offset: 0, inode: stats?.ino ?? 0 }
    }
    if (stats === undefined) return
    const text = readFrom(file, read.offset, stats.size)
    const end = text.lastIndexOf(10) + 1
    for (const line of text.toString('utf8', 0, end).split('\n')) if (line !== '') take(line)
    read.offset += end
  }

  function take(text: string): void {
    let line: IndexLine
    try {
      line = JSON.parse(text) as IndexLine
    } catch {
      return
    }
    if (line.type === 'before') {
      const { type: _, ...change } = line
      changes.set(line.id, change)
    } else if (line.type === 'after') {
      const change = changes.get(line.id)
      if (change !== undefined) change.after = line.after
    } else if (line.type === 'cancel') {
      changes.delete(line.id)
    } else if (line.type === 'command') {
      const { type: _, ...command } = line
      commands.push(command)
    }
  }

  async function flush(): Promise<void> {
    const lines = queue
    queue = []
    flushing = undefined
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const fd = openSync(file, 'a+', 0o600)
    try {
      const torn = endsTorn(fd) ? '\n' : ''
      appendFileSync(fd, torn + lines.map(({ text }) => text).join(''))
      if (lines.some(({ sync }) => sync)) await promisify(fdatasync)(fd)
    } finally {
      closeSync(fd)
    }
    refresh()
  }

  return {
    changes,
    get commands() {
      return commands
    },
    // Wait for pending appends.
    refresh: () => withPathLocks([file], () => Promise.resolve(refresh())),
    append(line, { sync }) {
      queue.push({ text: `${JSON.stringify(line)}\n`, sync })
      // Callers share a pending flush, so a patch of a hundred files syncs once.
      flushing ??= withPathLocks([file], flush)
      return flushing
    },
    rewrite: (isGone, tidy) =>
      withPathLocks([file], async () => {
        refresh()
        const lines: IndexLine[] = []
        for (const { after, ...change } of [...changes.values()].filter((one) => !isGone(one))) {
          lines.push({ type: 'before', ...change })
          if (after !== undefined) lines.push({ type: 'after', id: change.id, after })
        }
        for (const command of commands) if (!isGone(command)) lines.push({ type: 'command', ...command })
        const temporary = `${file}.tmp`
        {
          await using handle = await open(temporary, 'w', 0o600)
          await handle.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
          await handle.datasync()
        }
        await rename(temporary, file)
        refresh()
        await tidy()
      }),
  }
}

function readFrom(file: string, from: number, to: number): Buffer {
  const fd = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from))
  } finally {
    closeSync(fd)
  }
}

function endsTorn(fd: number): boolean {
  const { size } = fstatSync(fd)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10
}

/** Objects being written, and counts of objects pinned until an index line references them, by path. */
const pendingStores = new Map<string, Promise<void>>()
const pinnedObjects = new Map<string, number>()

/** Protects an object from the sweep until it is unpinned. */
export function pinObject(object: string): void {
  pinnedObjects.set(object, (pinnedObjects.get(object) ?? 0) + 1)
}

export function unpinObject(object: string): void {
  const count = pinnedObjects.get(object) ?? 1
  if (count === 1) pinnedObjects.delete(object)
  else pinnedObjects.set(object, count - 1)
}

export function isObjectPinned(object: string): boolean {
  return pinnedObjects.has(object)
}

/** Writes an object if missing. Durable once the promise resolves. */
export function saveObject(object: string, bytes: Uint8Array): Promise<void> {
  const stored = pendingStores.get(object) ?? writeObject(object, bytes).finally(() => pendingStores.delete(object))
  pendingStores.set(object, stored)
  return stored
}

async function writeObject(file: string, bytes: Uint8Array): Promise<void> {
  if (lstatSync(file, { throwIfNoEntry: false })?.size === bytes.length) return
  const folder = path.dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  try {
    await writeAll(fd, [bytes])
    await promisify(fdatasync)(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, file)
  await syncFolder(folder)
}

async function syncFolder(folder: string): Promise<void> {
  const fd = openSync(folder, 'r')
  try {
    await promisify(fsync)(fd)
  } finally {
    closeSync(fd)
  }
}

/** Undefined if missing, or if the hash does not match. */
export async function readObject(file: string, sha256: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(file)
    return sha256Of(bytes) === sha256 ? bytes : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Packs a reverse patch from new to old content: a line with the positions, then the old bytes. */
export function packReverse(parts: readonly ReplacedPart[]): Buffer {
  const head = JSON.stringify(parts.map(({ start, length, bytes }) => [start, length, bytes.length]))
  return Buffer.concat([Buffer.from(`${head}\n`), ...parts.map(({ bytes }) => bytes)])
}

/** Restores the old content. The caller checks the hash, since the patch is wrong for any other input. */
export function applyReverse(now: Buffer, packed: Buffer): Buffer {
  const end = packed.indexOf(10)
  const places = JSON.parse(packed.toString('utf8', 0, end)) as [start: number, length: number, oldLength: number][]
  const pieces: Buffer[] = []
  let [at, from] = [0, end + 1]
  for (const [start, length, oldLength] of places) {
    pieces.push(now.subarray(at, start), packed.subarray(from, from + oldLength))
    at = start + length
    from += oldLength
  }
  return Buffer.concat([...pieces, now.subarray(at)])
}

import { Buffer } from 'node:buffer'
import childProcess from 'node:child_process'
import fs, { type Dirent } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FileThread, type FileThreadOptions } from './file-thread.ts'

/**
 * Keeps a network drive that hangs from stopping the process. Many parts read files synchronously, because that is ten
 * times faster than the thread pool. So on mounts that can hang, the functions of `node:fs` make their calls on a
 * thread per mount, and throw `SlowFolder` after a limit. See docs/decisions/028-calls-on-network-drives.md.
 */
export interface FileGuard {
  /** Sets the mounts that can hang. Until there is one, `node:fs` stays as it is. */
  update(mounts: readonly string[]): void
  /** Mounts that can hang. */
  readonly mounts: ReadonlySet<string>
  /** Mounts that hang now. */
  readonly hanging: ReadonlySet<string>
  close(): Promise<void>
}

type Call = (...args: unknown[]) => unknown
type Calls = Record<string, Call>

const limitMs = 1000
/** Links into a mount are looked for once in this time. */
const freshMs = 1000
const maxKnown = 2000
const maxLinks = 40

/** The index of the path, where it is not the first argument. */
const otherPaths: Readonly<Record<string, number>> = { renameSync: 1, linkSync: 1, copyFileSync: 1, symlinkSync: 1 }
const notPromises = new Set(['constants', 'glob', 'watch'])

export function createFileGuard(options: Partial<Pick<FileThreadOptions, 'limitMs' | 'script'>> = {}): FileGuard {
  const threads = new Map<string, FileThread>()
  const hanging = new Set<string>()
  const descriptors = new Map<number, FileThread>()
  const known = new Map<string, { mount: string | undefined; at: number }>()
  const mounts = new Set<string>()
  let uninstall: (() => void) | undefined
  const { lstatSync, readlinkSync } = fs

  return {
    mounts,
    hanging,
    update(points) {
      if (points.length === mounts.size && points.every((point) => mounts.has(point))) return
      mounts.clear()
      for (const point of points) mounts.add(point)
      known.clear()
      if (points.length > 0) uninstall ??= install()
    },
    async close() {
      uninstall?.()
      uninstall = undefined
      await Promise.all([...threads.values()].map((thread) => thread.close()))
    },
  }

  function install(): () => void {
    const replaced = [
      replace(fs as unknown as Calls, (name, call) => (name.endsWith('Sync') ? guarded(name, call) : undefined)),
      replace(fs as unknown as Calls, (name, call) => (name === 'close' ? forgetting(call) : undefined)),
      replace(fs as unknown as Calls, (name, call) =>
        name === 'watch' ? checked(call, (args) => args[0]) : undefined,
      ),
      replace(fs.promises as unknown as Calls, (name, call) => (notPromises.has(name) ? undefined : later(call))),
      replace(childProcess as unknown as Calls, (name, call) =>
        ['spawn', 'exec', 'execFile', 'fork'].includes(name) ? checked(call, folderOf) : undefined,
      ),
    ]
    syncBuiltinESMExports()
    return () => {
      for (const restore of replaced.toReversed()) restore()
      syncBuiltinESMExports()
    }
  }

  function guarded(name: string, call: Call): Call {
    const run: Call = (...args) => {
      const other = otherPaths[name] ?? 0
      const thread = threadOf(args[0]) ?? (other === 0 ? undefined : threadOf(args[other]))
      if (thread === undefined) return call(...args)
      return onThread(thread, name, args.with(0, withoutUrl(args[0])).with(other, withoutUrl(args[other])))
    }
    if (name !== 'realpathSync') return run
    const { native } = fs.realpathSync
    return Object.assign(run, { native: guarded('realpathSync.native', native as Call) })
  }

  function onThread(thread: FileThread, name: string, args: unknown[]): unknown {
    if (name === 'openSync') {
      const fd = thread.call(name, args) as number
      descriptors.set(fd, thread)
      return fd
    }
    if (name === 'closeSync') {
      descriptors.delete(args[0] as number)
      return thread.start(name, args)
    }
    if (name === 'readSync') return readInto(thread, args)
    if (name === 'opendirSync')
      return openedFolder(args[0] as string, thread.call('readdirSync', [args[0], { withFileTypes: true }]) as Dirent[])
    return thread.call(name, args)
  }

  /** Its calls use the threads of the process, so they start only while the mount answers. */
  function later(call: Call): Call {
    return (...args) => {
      const thread = threadOf(args[0])
      return thread === undefined ? call(...args) : thread.run(() => call(...args) as Promise<unknown>)
    }
  }

  function forgetting(call: Call): Call {
    return (...args) => {
      descriptors.delete(args[0] as number)
      return call(...args)
    }
  }

  /** Makes calls that cannot run on another thread only if the mount answers now. */
  function checked(call: Call, placeIn: (args: unknown[]) => unknown): Call {
    return (...args) => {
      const place = placeIn(args)
      threadOf(place)?.call('existsSync', [withoutUrl(place)])
      return call(...args)
    }
  }

  function threadOf(target: unknown): FileThread | undefined {
    if (typeof target === 'number') return descriptors.get(target)
    const file = withoutUrl(target)
    const mount = typeof file === 'string' ? mountBehind(path.resolve(file)) : undefined
    if (mount === undefined) return undefined
    const running = threads.get(mount)
    if (running !== undefined) return running
    const made = new FileThread({
      limitMs,
      ...options,
      mount,
      onHang: (isHanging) => void (isHanging ? hanging.add(mount) : hanging.delete(mount)),
      onExit: () => threads.delete(mount),
    })
    threads.set(mount, made)
    return made
  }

  function mountIn(file: string): string | undefined {
    for (const mount of mounts) if (file === mount || file.startsWith(mount + path.sep)) return mount
    return undefined
  }

  /** The mount that a path is in or leads to by links. */
  function mountBehind(file: string): string | undefined {
    const direct = mountIn(file)
    if (direct !== undefined || mounts.size === 0) return direct
    const folder = path.dirname(file)
    let seen = known.get(folder)
    if (seen === undefined || performance.now() - seen.at > freshMs) {
      if (known.size >= maxKnown) known.clear()
      seen = { mount: follow(folder, maxLinks), at: performance.now() }
      known.set(folder, seen)
    }
    if (seen.mount !== undefined) return seen.mount
    const target = linkAt(file)
    return target === undefined ? undefined : follow(target, maxLinks)
  }

  function follow(file: string, links: number): string | undefined {
    let at = path.parse(file).root
    const names = file.slice(at.length).split(path.sep)
    for (const [index, name] of names.entries()) {
      at = path.join(at, name)
      const mount = mountIn(at)
      if (mount !== undefined) return mount
      const target = linkAt(at)
      if (target !== undefined)
        return links === 0 ? undefined : follow(path.resolve(target, ...names.slice(index + 1)), links - 1)
    }
    return undefined
  }

  /** Called only for paths outside the mounts, which do not hang. */
  function linkAt(file: string): string | undefined {
    try {
      if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
      return path.resolve(path.dirname(file), readlinkSync(file))
    } catch {
      return undefined
    }
  }
}

function replace(target: Calls, wrapped: (name: string, call: Call) => Call | undefined): () => void {
  const before: [string, Call][] = []
  for (const name of Object.keys(target)) {
    const call = target[name]
    const made = typeof call === 'function' ? wrapped(name, call) : undefined
    if (call === undefined || made === undefined) continue
    before.push([name, call])
    target[name] = made
  }
  return () => {
    for (const [name, call] of before) target[name] = call
  }
}

/** Starting a process waits until it has entered its folder. */
function folderOf(args: unknown[]): unknown {
  return args.find((arg): arg is { cwd: unknown } => typeof arg === 'object' && arg !== null && 'cwd' in arg)?.cwd
}

/** An address cannot be sent to another thread. */
function withoutUrl(value: unknown): unknown {
  if (value instanceof URL) return fileURLToPath(value)
  return Buffer.isBuffer(value) ? value.toString() : value
}

/** A buffer to fill is filled here: the other thread has a copy. */
function readInto(thread: FileThread, args: unknown[]): number {
  const [fd, buffer, third, ...rest] = args as [number, Uint8Array, unknown, number?, (number | bigint | null)?]
  const given = typeof third === 'object' && third !== null ? (third as Record<string, number | bigint | null>) : {}
  const offset = Number(typeof third === 'number' ? third : (given['offset'] ?? 0))
  const length = Number(rest[0] ?? given['length'] ?? buffer.byteLength - offset)
  const bytes = thread.call('readSync', [fd, length, rest[1] ?? given['position'] ?? null]) as Uint8Array
  buffer.set(bytes, offset)
  return bytes.length
}

function openedFolder(folder: string, entries: Dirent[]): unknown {
  return {
    path: folder,
    readSync: () => entries.shift() ?? null,
    closeSync: () => undefined,
  }
}

import { type FSWatcher, statSync, watch } from 'node:fs'
import path from 'node:path'
import { type FileEvent, NamedError, newId } from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import { isHidden } from './list-entries.ts'
import { type FileRoot, resolveTarget } from './workspace-path.ts'

const maxStreams = 64
/** Changes within this time are one event. */
const gatherMs = 80
/** Names per folder in one event. More mean: read the folder again. */
const maxNames = 100
/** Bytes that a slow reader may leave unread. Then its events are dropped, and one `reset` follows. */
const maxUnsent = 64 * 1024
const pollMs = 2000

/** Folders whose own changes are news, but not the churn inside them. */
const churning = new Set(['.git', 'node_modules'])

interface WatchStream {
  root: FileRoot
  sink: Sink
  /** By real path: the paths under which the page knows the folder. */
  folders: Map<string, { names: Set<string>; stop: () => void }>
  changed: Map<string, Set<string> | 'all'>
  timer: NodeJS.Timeout | undefined
  isBehind: boolean
}

export interface FolderWatchers {
  /** Starts a stream. The returned function ends it. */
  open(root: FileRoot, sink: Sink): () => void
  /** Replaces the folders of a stream. Returns the number of those that are watched. */
  set(id: string, root: FileRoot, folders: readonly string[]): number
  close(): void
}

/** Watches the folders that pages show, and only while they show them. One system watch serves all streams. */
export function createFolderWatchers(onChange: (workspaceId: string) => void): FolderWatchers {
  const streams = new Map<string, WatchStream>()
  const shared = new Map<string, SharedWatch>()

  return {
    open(root, sink) {
      if (streams.size >= maxStreams)
        throw new NamedError('TooManyStreams', 'Too many pages watch files. Close some of them.', { status: 429 })
      const id = newId()
      const stream: WatchStream = {
        root,
        sink,
        folders: new Map(),
        changed: new Map(),
        timer: undefined,
        isBehind: false,
      }
      streams.set(id, stream)
      send(stream, { type: 'open', id })
      return () => {
        streams.delete(id)
        clearTimeout(stream.timer)
        for (const { stop } of stream.folders.values()) stop()
      }
    },
    set(id, root, folders) {
      const stream = streams.get(id)
      if (stream === undefined || stream.root.workspaceId !== root.workspaceId)
        throw new NamedError('StreamNotFound', 'This stream has ended. Open a new one.', { status: 404 })
      const wanted = new Map<string, Set<string>>()
      for (const given of folders) {
        const real = folderAt(root, given)
        if (real === undefined) continue
        const names = wanted.get(real) ?? new Set()
        wanted.set(real, names.add(given))
      }
      for (const [real, { stop }] of stream.folders) {
        if (wanted.has(real)) continue
        stop()
        stream.folders.delete(real)
      }
      for (const [real, names] of wanted) {
        const known = stream.folders.get(real)
        const stop = known?.stop ?? listen(real, (name) => take(stream, real, name))
        stream.folders.set(real, { names, stop })
      }
      return wanted.size
    },
    close() {
      for (const { sink, timer } of streams.values()) {
        clearTimeout(timer)
        sink.end()
      }
      streams.clear()
      for (const { stop } of shared.values()) stop()
      shared.clear()
    },
  }

  function listen(real: string, onName: (name: string | undefined) => void): () => void {
    const known = shared.get(real) ?? startWatch(real)
    shared.set(real, known)
    known.listeners.add(onName)
    return () => {
      known.listeners.delete(onName)
      if (known.listeners.size > 0) return
      known.stop()
      if (shared.get(real) === known) shared.delete(real)
    }
  }

  function take(stream: WatchStream, real: string, name: string | undefined): void {
    onChange(stream.root.workspaceId)
    const names = stream.changed.get(real) ?? new Set<string>()
    if (name === undefined || names === 'all' || names.size >= maxNames) stream.changed.set(real, 'all')
    else stream.changed.set(real, names.add(name))
    stream.timer ??= setTimeout(() => flush(stream), gatherMs).unref()
  }

  function flush(stream: WatchStream): void {
    stream.timer = undefined
    const folders = [...stream.changed].flatMap(([real, names]) =>
      [...(stream.folders.get(real)?.names ?? [])].map((one) =>
        names === 'all' ? { path: one } : { path: one, names: [...names] },
      ),
    )
    stream.changed.clear()
    if (folders.length > 0) send(stream, { type: 'changed', folders })
  }

  function send(stream: WatchStream, event: FileEvent): void {
    if (stream.isBehind) return
    const unsent = stream.sink.write(`data: ${JSON.stringify(event)}\n\n`)
    if (unsent < maxUnsent) return
    stream.isBehind = true
    stream.sink.onDrain(() => {
      stream.isBehind = false
      send(stream, { type: 'reset' })
    })
  }
}

function folderAt(root: FileRoot, given: string): string | undefined {
  try {
    const found = resolveTarget(root, given, 'read')
    return found.stats?.isDirectory() === true ? found.path : undefined
  } catch {
    // Deleted or replaced meanwhile. The folder above reports that.
    return undefined
  }
}

interface SharedWatch {
  listeners: Set<(name: string | undefined) => void>
  stop: () => void
}

function startWatch(folder: string): SharedWatch {
  const listeners = new Set<(name: string | undefined) => void>()
  const tell = (name: string | undefined): void => {
    for (const listener of listeners) listener(name)
  }
  let polling: (() => void) | undefined
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(folder, { persistent: false }, (event, name) => {
      if (name === null) return tell(undefined)
      if (isHidden(name) || (event === 'change' && churning.has(name))) return
      tell(name)
    })
    // The folder is gone, or its file system is. The folder above reports that.
    watcher.on('error', () => watcher?.close())
  } catch {
    // The system has no watches left, so look every few seconds.
    polling = poll(folder, () => tell(undefined))
  }
  return {
    listeners,
    stop() {
      watcher?.close()
      polling?.()
    },
  }
}

function poll(folder: string, onChange: () => void): () => void {
  const look = (): number => {
    try {
      return statSync(path.join(folder, '.'), { throwIfNoEntry: false })?.mtimeMs ?? 0
    } catch {
      return 0
    }
  }
  let last = look()
  const timer = setInterval(() => {
    const now = look()
    if (now !== last) onChange()
    last = now
  }, pollMs).unref()
  return () => clearInterval(timer)
}

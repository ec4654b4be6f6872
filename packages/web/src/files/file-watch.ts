import type { FileEvent } from '@troupe/protocol'
import type { Api } from '../api/api.ts'
import { readEventStream } from '../api/read-event-stream.ts'

/** Names of changed entries. Undefined: read the folder again. */
export type OnFolderChange = (names: readonly string[] | undefined) => void

export interface FileWatch {
  /** Reports changes of a folder until the returned function is called. */
  watch(folder: string, onChange: OnFolderChange): () => void
}

const retryMs = [500, 1500, 4000, 10_000]
/** Expanding several folders at once is one request. */
const gatherMs = 30

/** Follows changes on disk over one stream, which is open only while something is watched. */
export function createFileWatch(api: Pick<Api, 'fileEvents' | 'watchFolders'>): FileWatch {
  const listeners = new Map<string, Set<OnFolderChange>>()
  let following: AbortController | undefined
  let streamId: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  return {
    watch(folder, onChange) {
      const own = listeners.get(folder) ?? new Set()
      const isNew = own.size === 0
      listeners.set(folder, own.add(onChange))
      if (following === undefined) start()
      else if (isNew) announce()
      return () => {
        own.delete(onChange)
        if (own.size > 0 || listeners.get(folder) !== own) return
        listeners.delete(folder)
        if (listeners.size === 0) stop()
        else announce()
      }
    },
  }

  function start(): void {
    const started = new AbortController()
    following = started
    void follow(started.signal)
  }

  /** A panel that is replaced by another watches again at once, so wait before the stream is closed. */
  function stop(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (listeners.size > 0) return announce()
      following?.abort()
      following = undefined
      streamId = undefined
    }, 1000)
  }

  function announce(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const id = streamId
      if (id === undefined) return
      // A stream that has ended is opened again, which announces the folders anyway.
      api.watchFolders(id, [...listeners.keys()].slice(0, 500)).catch(() => undefined)
    }, gatherMs)
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const response = await api.fileEvents(signal)
        for await (const event of readEventStream<FileEvent>(response)) {
          if (event.type === 'open') {
            streamId = event.id
            announce()
            // Changes during a lost connection were not reported.
            if (attempt > 0) tellAll()
            attempt = 0
          } else take(event)
        }
      } catch {
        // The page reports a lost connection elsewhere. This stream returns with the server.
      }
      streamId = undefined
      if (!signal.aborted) await pause(retryMs[Math.min(attempt, retryMs.length - 1)] ?? 0, signal)
    }
  }

  function take(event: FileEvent): void {
    if (event.type === 'reset') tellAll()
    else if (event.type === 'changed')
      for (const { path, names } of event.folders) for (const listener of listeners.get(path) ?? []) listener(names)
  }

  function tellAll(): void {
    for (const own of listeners.values()) for (const listener of own) listener(undefined)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

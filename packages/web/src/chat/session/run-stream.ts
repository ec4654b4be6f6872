import { type Chunk, readEvents } from '@troupe/protocol'
import { ApiError, isUnreachable } from '../../api/request.ts'
import { partData } from './message-parts.ts'

interface FollowOptions {
  /**
   * Request that starts the run, if this page starts it. Repeated if there is no response; the server treats that as a
   * retry.
   */
  start?: (signal: AbortSignal) => Promise<Response>
  /** Subscribes to the run after the cursor, or from its start. Responds 204 if there is no run. */
  resume: (after: string | undefined, signal: AbortSignal) => Promise<Response>
  onChunk: (chunk: Chunk, number: number | undefined) => void
  /** Called before a subscription that replays the run from the start. */
  onReplay: () => void
  /** Called on the first response. From here on the server owns the run. */
  onAccepted?: () => void
  onConnection: (connection: 'open' | 'lost') => void
  signal: AbortSignal
  wake: WakeSource
  /** Milliseconds before the nth attempt in a row. */
  delay?: (attempt: number) => number
  /** The connection counts as dead after this long without a byte. The server sends keep-alives. */
  silenceMs?: number
}

/** Signals when to retry: the page became visible, or the network is back. */
export type WakeSource = (onWake: () => void) => () => void

const startAttempts = 3

/**
 * Follows one run to its end across any number of connections. Resolves with `finished` after the stream's end event,
 * or with `idle` if the server has no run. Data read after either is final. A closed socket alone means nothing.
 */
export async function followRun(options: FollowOptions): Promise<'finished' | 'idle'> {
  const { start, resume, signal, delay = backOff } = options
  /** The last number of the run, or of each of several answers. */
  const last = new Map<string, number>()
  let accepted = start === undefined
  let finished = false
  let attempt = 0
  for (;;) {
    const connection = new AbortController()
    const ends = [signal, connection.signal]
    const stopWaking = options.wake(() => connection.abort(new Error('looking again')))
    try {
      const after = last.size === 0 ? undefined : [...last.values()].join(',')
      if (accepted && after === undefined) options.onReplay()
      const begin =
        accepted || start === undefined
          ? () => resume(after, AbortSignal.any(ends))
          : () => start(AbortSignal.any(ends))
      const response = await begin()
      signal.throwIfAborted()
      if (!accepted) options.onAccepted?.()
      accepted = true
      options.onConnection('open')
      if (response.status === 204 || response.body === null) return 'idle'
      const body = watchBody(response.body, options.silenceMs ?? 60_000, (error) => connection.abort(error))
      for await (const { number, chunk } of readEvents(body)) {
        attempt = 0
        if (number !== undefined) last.set(partData(chunk, 'column')?.messageId ?? '', number)
        if (chunk.type === 'finish') finished = true
        if (chunk.type === 'start') finished = false
        options.onChunk(chunk, number)
      }
      signal.throwIfAborted()
      if (finished) return 'finished'
    } catch (error) {
      signal.throwIfAborted()
      if (isRefusal(error)) throw error
      if (!accepted && attempt + 1 >= startAttempts) throw error
      if (!connection.signal.aborted) options.onConnection('lost')
    } finally {
      stopWaking()
    }
    await pause(delay(attempt++), signal, options.wake)
  }
}

/** The server rejected the request, so a retry is pointless. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    !isUnreachable(error) &&
    error.status < 500 &&
    error.status !== 408 &&
    error.status !== 429
  )
}

function backOff(attempt: number): number {
  return attempt === 0 ? 0 : Math.min(500 * 2 ** (attempt - 1), 15_000)
}

function pause(milliseconds: number, signal: AbortSignal, wake: WakeSource): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      stopWaking()
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const timer = setTimeout(end, milliseconds)
    const stopWaking = wake(end)
    signal.addEventListener('abort', end)
  })
}

/** Passes the bytes through. Calls `onSilence` once after `milliseconds` without data. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  milliseconds: number,
  onSilence: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      timer = setTimeout(() => onSilence(new Error(`nothing came for ${milliseconds} ms`)), milliseconds)
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } finally {
        clearTimeout(timer)
      }
    },
    cancel(reason) {
      clearTimeout(timer)
      return reader.cancel(reason)
    },
  })
}

const shortAbsence = 5_000

/**
 * Wakes when a hidden page becomes visible or the network returns, because its socket may be dead unnoticed. Ignores
 * brief tab switches.
 */
export const pageWakeSource: WakeSource = (onWake) => {
  let hiddenAt: number | undefined = document.visibilityState === 'hidden' ? Date.now() : undefined
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') {
      hiddenAt = Date.now()
      return
    }
    if (hiddenAt !== undefined && Date.now() - hiddenAt > shortAbsence) onWake()
    hiddenAt = undefined
  }
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) onWake()
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('pageshow', onShow)
  window.addEventListener('online', onWake)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('pageshow', onShow)
    window.removeEventListener('online', onWake)
  }
}

export interface TappedChunk {
  /** Number in the session's log. Undefined for chunks that are not stored. */
  number: number | undefined
  chunk: Chunk
  at: number
}

/** Buffers the latest chunks of a stream. Adding one is a single assignment; readers poll. */
export interface StreamTap {
  record: (chunk: Chunk, number: number | undefined, at: number) => void
  /** Oldest first. */
  read: () => TappedChunk[]
  /** Total chunks so far. A change means new data. */
  count: () => number
}

export function createStreamTap(most = 400): StreamTap {
  const ring: TappedChunk[] = []
  let count = 0
  return {
    record(chunk, number, at) {
      ring[count % most] = { number, chunk, at }
      count++
    },
    read: () => (count <= most ? [...ring] : [...ring.slice(count % most), ...ring.slice(0, count % most)]),
    count: () => count,
  }
}

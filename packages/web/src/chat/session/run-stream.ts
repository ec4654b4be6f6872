import { type Chunk, readEvents } from '@troupe/protocol'
import { ApiError, isUnreachable } from '../../api/request.ts'

interface FollowOptions {
  /** The request that starts the run, where this page starts it. Sent again if no response came: the server takes it as a retry. */
  start?: (signal: AbortSignal) => Promise<Response>
  /** Subscribes to the run: everything after the number, or all of it. 204 when there is no run. */
  resume: (after: number | undefined, signal: AbortSignal) => Promise<Response>
  onChunk: (chunk: Chunk, number: number | undefined) => void
  /** Called before a subscription that replays the run from its beginning. */
  onReplay: () => void
  /** A response has come: from here on the run is the server's. */
  onAccepted?: () => void
  onConnection: (connection: 'open' | 'lost') => void
  signal: AbortSignal
  wake: WakeSource
  /** Milliseconds before the n-th attempt in a row. */
  delay?: (attempt: number) => number
  /** Without a byte for this long (the server sends keep-alives) the connection counts as dead. */
  silenceMs?: number
}

/** Something that says when it is worth looking again: the page is seen, the network is back. */
export type WakeSource = (onWake: () => void) => () => void

const startAttempts = 3

/**
 * Follows one run to its end through any number of connections. Resolves with `finished` once the stream has said so
 * and ended, with `idle` when the server has no run (any more): in both cases what is read next is the truth.
 * A closed socket means nothing.
 */
export async function followRun(options: FollowOptions): Promise<'finished' | 'idle'> {
  const { start, resume, signal, delay = backOff } = options
  let after: number | undefined
  let accepted = start === undefined
  let finished = false
  let attempt = 0
  for (;;) {
    const connection = new AbortController()
    const ends = [signal, connection.signal]
    const stopWaking = options.wake(() => connection.abort(new Error('looking again')))
    try {
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
        if (number !== undefined) after = number
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

/** The server has understood and said no: trying again changes nothing. */
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

/** Passes the bytes on; `onSilence` is called once when none has come for `milliseconds`. */
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
 * A page that was hidden or offline may hold a socket that is dead without knowing it: when it is seen again, or the
 * network comes back, it looks again. A glance at another tab does not count.
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

/** A chunk as it came, for whoever looks at the stream itself. */
export interface TappedChunk {
  /** Its number in the log of the session; chunks that are not kept have none. */
  number: number | undefined
  chunk: Chunk
  at: number
}

/** The last chunks of a stream. Taking one costs an assignment: nobody is told, whoever wants to know looks. */
export interface StreamTap {
  take: (chunk: Chunk, number: number | undefined, at: number) => void
  /** Oldest first. */
  read: () => TappedChunk[]
  /** How many have come altogether: has it changed, there is something new. */
  count: () => number
}

export function createStreamTap(most = 400): StreamTap {
  const ring: TappedChunk[] = []
  let count = 0
  return {
    take(chunk, number, at) {
      ring[count % most] = { number, chunk, at }
      count++
    },
    read: () => (count <= most ? [...ring] : [...ring.slice(count % most), ...ring.slice(0, count % most)]),
    count: () => count,
  }
}

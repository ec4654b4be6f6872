import { readEvents } from '@troupe/core/protocol'
import type { Chunk } from '@troupe/core/protocol'
import { ApiError, isUnreachable } from '../api/api-error.ts'
import { watchBody } from './watch-body.ts'

export interface FollowOptions {
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

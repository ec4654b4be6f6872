import { ApiError } from '../api/api-error.ts'

/** How long to wait before the next try; the last is repeated. */
const pauses = [300, 1000, 3000, 9000, 15_000]

export interface RetryOptions {
  /** When it is of no use any more. */
  until: number
  now?: () => number
  wait?: (ms: number) => Promise<void>
}

/**
 * Tries until the server has taken it. A server that does not answer, or fails, is asked again; one that refuses (4xx)
 * is not: somebody else was quicker, or nobody waits any more. Resolves what kept it from being taken; undefined where
 * nothing did.
 */
export async function acknowledge(send: () => Promise<unknown>, options: RetryOptions): Promise<Error | undefined> {
  const { until, now = Date.now, wait = pause } = options
  for (let tries = 0; ; tries++) {
    try {
      await send()
      return undefined
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
      const next = pauses[Math.min(tries, pauses.length - 1)] ?? 0
      if (isRefused || now() + next > until) return error instanceof Error ? error : new Error(String(error))
      await wait(next)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

import { NamedError } from '@troupe/protocol'
import type { Tool } from '../tool/tool.ts'

export interface CallSignal {
  signal: AbortSignal
  /** Pauses the time limit while the call waits for a person. */
  pause(): void
  resume(): void
  clear(): void
}

/** Time a write may continue after shutdown begins, in milliseconds. */
export const graceMs = 5000

/**
 * Follows the signal of the run and aborts at the tool's time limit. On shutdown, a call whose outcome would otherwise
 * be unknown gets a grace period.
 */
export function openCallSignal(tool: Pick<Tool, 'readOnly' | 'recover' | 'timeout'>, signal: AbortSignal): CallSignal {
  const spared = !tool.readOnly && tool.recover === 'error'
  const { timeout } = tool
  if (!spared && timeout === undefined)
    return { signal, pause: () => undefined, resume: () => undefined, clear: () => undefined }
  const controller = new AbortController()
  let left = timeout ?? 0
  let begun = 0
  let asks = 0
  let limit: NodeJS.Timeout | undefined
  let grace: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    const end = (): void => controller.abort(signal.reason)
    if (spared && signal.reason instanceof NamedError && signal.reason.name === 'Shutdown')
      grace = setTimeout(end, graceMs)
    else end()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  startTimer()
  return {
    signal: controller.signal,
    pause() {
      if (asks++ > 0) return
      clearTimeout(limit)
      left -= performance.now() - begun
    },
    resume() {
      if (--asks === 0) startTimer()
    },
    clear() {
      clearTimeout(limit)
      clearTimeout(grace)
      signal.removeEventListener('abort', onAbort)
    },
  }

  function startTimer(): void {
    if (timeout === undefined || controller.signal.aborted) return
    begun = performance.now()
    limit = setTimeout(() => controller.abort(timedOut(timeout)), Math.max(0, left))
  }
}

function timedOut(ms: number): Error {
  return new Error(`Timed out after ${ms / 1000} s. The tool call was canceled.`)
}

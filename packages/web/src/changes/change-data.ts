import type { GitStatus } from '@troupe/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import { toErrorInfo } from '../api/request.ts'
import { useSession } from '../chat/session/session-context.ts'

/** Runs one change of git, and shows the status that it answers. Resolves with false if it failed. */
export type ChangeGit = (work: () => Promise<GitStatus | undefined>) => Promise<boolean>

interface Loaded<Value> {
  value: Value | undefined
  /** Shown if there is no value. */
  failure: string | undefined
  /** Reads again, or takes a newer value that another request answered. */
  refresh: (value?: Value) => void
}

const pollMs = 4000

/**
 * Reads now, when the window gets the focus, when a run ends, and every few seconds during a run. Late answers never
 * replace newer ones. `read` must be stable.
 */
export function useChanges<Value>(read: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const isRunning = useSession((state) => state.run !== null)
  const [loaded, setLoaded] = useState<{ read: unknown; value?: Value; failure?: string }>({ read })
  const turn = useRef(0)
  const start = useCallback(() => {
    const own = ++turn.current
    const abort = new AbortController()
    read(abort.signal).then(
      (value) => {
        if (turn.current === own) setLoaded({ read, value })
      },
      (error: unknown) => {
        if (turn.current !== own || abort.signal.aborted) return
        setLoaded((before) =>
          before.read === read && before.value !== undefined ? before : { read, failure: toErrorInfo(error).message },
        )
      },
    )
    return () => abort.abort()
  }, [read])
  useEffect(() => {
    const stop = start()
    const onFocus = () => {
      if (document.visibilityState === 'visible') start()
    }
    window.addEventListener('focus', onFocus)
    const timer = isRunning ? setInterval(onFocus, pollMs) : undefined
    return () => {
      stop()
      window.removeEventListener('focus', onFocus)
      clearInterval(timer)
    }
  }, [start, isRunning])
  const refresh = useCallback(
    (value?: Value) => {
      if (value === undefined) start()
      else {
        turn.current++
        setLoaded({ read, value })
      }
    },
    [start, read],
  )
  const isOwn = loaded.read === read
  return { value: isOwn ? loaded.value : undefined, failure: isOwn ? loaded.failure : undefined, refresh }
}

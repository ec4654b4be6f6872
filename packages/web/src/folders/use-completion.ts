import { useEffect, useState } from 'react'
import type { Api } from '../api/api.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { isPath } from './typed-path.ts'

export type Completion = Awaited<ReturnType<Api['completeFolder']>>

const typingPause = 80

/** Folders for a typed path. While the next ones load, the last ones stay. Null before the first. */
export function useCompletion(typed: string): Completion | null {
  const { api } = useWorkspace()
  const [found, setFound] = useState<Completion | null>(null)
  useEffect(() => {
    if (!isPath(typed)) return
    const loading = new AbortController()
    const timer = setTimeout(() => {
      api.completeFolder(typed, loading.signal).then(setFound, () => {
        if (!loading.signal.aborted) setFound({ folder: null, state: 'slow', entries: [], isCut: false })
      })
    }, typingPause)
    return () => {
      clearTimeout(timer)
      loading.abort()
    }
  }, [api, typed])
  return found
}

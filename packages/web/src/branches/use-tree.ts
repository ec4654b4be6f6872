import { useCallback, useEffect, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { useSession, useSessionStore } from '../chat/session-context.ts'
import { useWorkspace } from '../workspace.ts'
import { indexTree, type TreeIndex } from './tree-index.ts'

export interface TreeReading {
  /** Null until it is there. */
  tree: TreeIndex | null
  failure: string | null
  again: () => void
}

/** The tree of the session, read anew when messages come or go. */
export function useTree(): TreeReading {
  const { api } = useWorkspace()
  const { sessionId } = useSessionStore().getState()
  const stored = useSession((state) => state.messages)
  const isRunning = useSession((state) => state.run !== null)
  const [tree, setTree] = useState<TreeIndex | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (isRunning) return
    let left = false
    api.tree(sessionId).then(
      ({ messages }) => {
        if (left) return
        setTree(indexTree(messages))
        setFailure(null)
      },
      (error: unknown) => {
        if (!left) setFailure(toErrorInfo(error).message)
      },
    )
    return () => {
      left = true
    }
  }, [api, sessionId, stored, isRunning, asked])
  return { tree, failure, again: useCallback(() => setAsked((count) => count + 1), []) }
}

import { useEffect, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { ContextInfo } from '../api/context-info.ts'
import { useWorkspace } from '../workspace.ts'

/** The X-ray of one branch, read anew when the branch grows. What was read before stays in sight meanwhile. */
export function useContextInfo(sessionId: string, leaf: string | undefined) {
  const { api } = useWorkspace()
  const [read, setRead] = useState<{ info: ContextInfo | null; failure: string | null }>({ info: null, failure: null })
  useEffect(() => {
    let isLate = false
    api.context(sessionId, leaf).then(
      (info) => {
        if (!isLate) setRead({ info, failure: null })
      },
      (error: unknown) => {
        if (!isLate) setRead(({ info }) => ({ info, failure: toErrorInfo(error).message }))
      },
    )
    return () => void (isLate = true)
  }, [api, sessionId, leaf])
  return read
}

import { useEffect, useState } from 'react'
import { useApp, useWorkspace } from '../workspace.ts'
import { needsUser } from './server-status.ts'

/** How many servers can do nothing until the person trusts them or logs in. Looked at now and then. */
export function useServersNeedingUser(): number {
  const { api } = useWorkspace()
  const isLookedAt = useApp((state) => state.dialog === 'settings')
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (isLookedAt) return
    const look = () => {
      api.mcp().then(
        ({ servers }) => setCount(servers.filter(needsUser).length),
        // What is wrong is said in the dialog.
        () => setCount(0),
      )
    }
    look()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [api, isLookedAt])
  return count
}

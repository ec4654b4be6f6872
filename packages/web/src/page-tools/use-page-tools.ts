import { useEffect } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { pageWakeSource } from '../chat/wake-source.ts'
import { afterPaint } from '../ui/after-paint.ts'
import { useApp, useWorkspace } from '../workspace.ts'

/** The page is a device for as long as it is open and may talk to the server. */
export function usePageTools(): void {
  const { pageTools, ids } = useWorkspace()
  const isOpen = useApp((state) => state.access === 'open')
  const isAway = useApp((state) => state.isAway)
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  useEffect(() => {
    if (!isOpen) return
    const stop = pageTools.start()
    const stopWaking = pageWakeSource(() => void pageTools.look())
    const leave = () => {
      const body = { clientId: ids.clientId, tabId: ids.tabId, actions: [], closed: true }
      const headers = { ...pageAccess.headers(), 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body), keepalive: true }
      // Without it the server finds out by itself, later.
      fetch('/ai/tabs', request).catch(() => undefined)
    }
    window.addEventListener('pagehide', leave)
    return () => {
      stop()
      stopWaking()
      window.removeEventListener('pagehide', leave)
    }
  }, [pageTools, ids, isOpen])
  // A server that has come back knows nothing of us, and where we look decides who is asked.
  useEffect(() => {
    if (isOpen && !isAway) return afterPaint(() => void pageTools.look())
    return undefined
  }, [pageTools, isOpen, isAway, sessionId])
}

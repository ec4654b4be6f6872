import { useEffect } from 'react'
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
      navigator.sendBeacon('/ai/tabs', new Blob([JSON.stringify(body)], { type: 'application/json' }))
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

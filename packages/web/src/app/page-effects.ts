import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { pageAccess } from '../api/page-access.ts'
import { pageWakeSource } from '../chat/session/run-stream.ts'
import { afterPaint } from '../ui/focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'

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

interface PollConditions {
  isVisible: boolean
  /** A run is on whose stream this page does not follow. */
  isElsewhere: boolean
  /** The browser tells the person. */
  notifies: boolean
}

/** How long until the asks are looked at again; undefined: the usual look at everything is enough. */
export function askPollInterval({ isVisible, isElsewhere, notifies }: PollConditions): number | undefined {
  if (isVisible) return isElsewhere ? 3_000 : undefined
  return notifies ? 10_000 : undefined
}

/** The stream of the session in sight tells of its asks; those of others have to be looked for. */
export function usePollAsks(): void {
  const { app, notifications } = useWorkspace()
  const isOpen = useApp((state) => state.access === 'open')
  const isElsewhere = useApp((state) => state.sessions.some(({ id, run }) => run !== null && id !== state.sessionId))
  const notifies = useStore(notifications, (state) => state.notifying === 'on')
  const isVisible = useVisible()
  const pause = isOpen ? askPollInterval({ isVisible, isElsewhere, notifies }) : undefined
  useEffect(() => {
    if (pause === undefined) return
    const timer = setInterval(() => void app.refreshAsks(), pause)
    return () => clearInterval(timer)
  }, [app, pause])
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}

import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { inFolder } from '../api/folder-scope.ts'
import { pageAccess } from '../api/page-access.ts'
import { pageWakeSource } from '../chat/session/run-stream.ts'
import { afterPaint } from '../ui/focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'

/** Keeps the page registered as a device while it is open and authorized. */
export function usePageTools(): void {
  const { pageTools, ids, folder } = useWorkspace()
  const isOpen = useApp((state) => state.access === 'open')
  const isAway = useApp((state) => state.isAway)
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  useEffect(() => {
    if (!isOpen) return
    const stop = pageTools.start()
    const stopWaking = pageWakeSource(() => void pageTools.look())
    const leave = () => {
      pageTools.leave()
      const body = { clientId: ids.clientId, tabId: ids.tabId, actions: [], closed: true }
      const headers = { ...pageAccess.headers(), 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(body), keepalive: true }
      // If this fails, the server notices on its own later.
      fetch(inFolder('/ai/tabs', folder), request).catch(() => undefined)
    }
    window.addEventListener('pagehide', leave)
    return () => {
      stop()
      stopWaking()
      window.removeEventListener('pagehide', leave)
    }
  }, [pageTools, ids, folder, isOpen])
  // A restarted server does not know this tab, and the session in view decides which tab gets asked.
  useEffect(() => {
    if (isOpen && !isAway) return afterPaint(() => void pageTools.look())
    return undefined
  }, [pageTools, isOpen, isAway, sessionId])
}

interface PollConditions {
  isVisible: boolean
  /** True if a run is active whose stream this page does not follow. */
  isElsewhere: boolean
  notifies: boolean
}

/** Poll interval for asks in milliseconds. Undefined if the regular refresh is enough. */
export function askPollInterval({ isVisible, isElsewhere, notifies }: PollConditions): number | undefined {
  if (isVisible) return isElsewhere ? 3_000 : undefined
  return notifies ? 10_000 : undefined
}

/** Polls for asks of other sessions. The current session's asks arrive on its stream. */
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

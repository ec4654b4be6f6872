import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useApp, useWorkspace } from '../workspace.ts'

export interface PollConditions {
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

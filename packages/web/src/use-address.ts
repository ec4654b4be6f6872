import { useEffect } from 'react'
import { readAddress, writeAddress } from './address.ts'
import { useApp, useWorkspace } from './workspace.ts'

/** The session in sight and the open settings stand in the address, so that a reload, a link and the back button find them. */
export function useAddress(): void {
  const { app } = useWorkspace()
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  const settings = useApp((state) => (state.dialog === 'settings' ? state.settingsAt : null))
  useEffect(() => {
    const shown = readAddress(window.location.hash)
    if (shown.sessionId === sessionId && shown.settings === settings) return
    const address = writeAddress(sessionId, settings)
    const url = address === '#' ? window.location.pathname : address
    // A session is a step that can be gone back; where the settings are open is not.
    if (shown.sessionId === sessionId) window.history.replaceState(null, '', url)
    else window.history.pushState(null, '', url)
  }, [sessionId, settings])
  useEffect(() => {
    const onPop = () => {
      const named = readAddress(window.location.hash)
      const { sessionId: current, isNew, dialog } = app.getState()
      if (named.sessionId === null && !isNew) app.newSession()
      else if (named.sessionId !== null && (isNew || named.sessionId !== current)) app.select(named.sessionId)
      if (named.settings !== null) app.openSettings(named.settings)
      else if (dialog === 'settings') app.setDialog(null)
    }
    window.addEventListener('popstate', onPop)
    return () => window.removeEventListener('popstate', onPop)
  }, [app])
}

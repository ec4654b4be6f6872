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
    // A session is a step that can be gone back; where the settings are open is not.
    if (shown.sessionId === sessionId) replaceAddress(sessionId, settings)
    else window.history.pushState(null, '', pageUrl(sessionId, settings))
  }, [sessionId, settings])
  useEffect(() => {
    const onPop = () => {
      const named = readAddress(window.location.hash)
      const { sessionId: current, isNew, dialog } = app.getState()
      // Settings and the inbox stand over the session in sight: an address of theirs that names none means that one.
      const isOver = named.sessionId === null && (named.settings !== null || named.inbox)
      if (isOver) replaceAddress(isNew ? null : current, named.settings)
      else if (named.sessionId === null && !isNew) app.newSession()
      else if (named.sessionId !== null && (isNew || named.sessionId !== current)) app.select(named.sessionId)
      if (named.settings !== null) app.openSettings(named.settings)
      else if (named.inbox) app.setDialog('inbox')
      else if (dialog === 'settings') app.setDialog(null)
    }
    window.addEventListener('popstate', onPop)
    return () => window.removeEventListener('popstate', onPop)
  }, [app])
}

export function replaceAddress(sessionId: string | null, settings: string | null): void {
  window.history.replaceState(null, '', pageUrl(sessionId, settings))
}

function pageUrl(sessionId: string | null, settings: string | null): string {
  const address = writeAddress(sessionId, settings)
  return address === '#' ? window.location.pathname : address
}

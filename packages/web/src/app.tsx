import { Tooltip } from 'radix-ui'
import { useEffect } from 'react'
import { Chat } from './chat/chat.tsx'
import { pageWakeSource } from './chat/wake-source.ts'
import { ContextDialog } from './context/lazy-context-dialog.tsx'
import { findSession } from './find-session.ts'
import { Header } from './header.tsx'
import { InboxDialog } from './inbox/lazy-inbox-dialog.tsx'
import { usePollAsks } from './inbox/use-watching-asks.ts'
import { Locked, Unreachable } from './locked.tsx'
import { usePageTools } from './page-tools/use-page-tools.ts'
import { PaletteDialog } from './palette/lazy-palette-dialog.tsx'
import { PanelArea } from './panels/beside.tsx'
import { ImportDialog } from './sessions/lazy-import-dialog.tsx'
import { Sidebar } from './sessions/sidebar.tsx'
import { TrashedBar } from './sessions/trashed-bar.tsx'
import { SettingsDialog } from './settings/lazy-settings-dialog.tsx'
import { ShortcutsDialog } from './shortcuts/lazy-shortcuts-dialog.tsx'
import { useShortcuts } from './shortcuts/use-shortcuts.ts'
import { Notices } from './ui/notices.tsx'
import { useFocusRestore } from './ui/use-kept-focus.ts'
import { useAddress } from './use-address.ts'
import { useApp, useWorkspace } from './workspace.ts'
import './app.css'

export function App() {
  const access = useApp((state) => state.access)
  const sessionId = useApp((state) => state.sessionId)
  const isAway = useApp((state) => state.isAway)
  const dialog = useApp((state) => state.dialog)
  useAddress()
  usePolling()
  usePollAsks()
  usePageTools()
  useShortcuts()
  useFocusRestore()
  useTitle()
  if (access === 'checking') return null
  if (access === 'locked') return <Locked />
  if (access === 'unreachable') return <Unreachable />
  return (
    <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
      <div className="app" data-away={isAway} data-focus-home=".composer-box textarea | [role=log] | .header button">
        <Sidebar />
        <main className="main">
          <Header />
          <TrashedBar />
          <Chat key={sessionId} sessionId={sessionId} />
        </main>
        <PanelArea key={`beside ${sessionId}`} sessionId={sessionId} />
      </div>
      {dialog === 'settings' && <SettingsDialog />}
      {dialog === 'inbox' && <InboxDialog />}
      {dialog === 'context' && <ContextDialog />}
      {dialog === 'shortcuts' && <ShortcutsDialog />}
      {dialog === 'palette' && <PaletteDialog />}
      {dialog === 'import' && <ImportDialog />}
      <Notices />
    </Tooltip.Provider>
  )
}

const refreshEveryMs = 15_000
const glanceEveryMs = 3_000

/** What happens elsewhere is told by no stream: while the page is seen it asks now and then. */
function usePolling(): void {
  const workspace = useWorkspace()
  const isOpen = useApp((state) => state.access === 'open' || state.access === 'unreachable')
  const isAway = useApp((state) => state.isAway)
  useEffect(() => {
    if (!isOpen) return
    const look = () => void workspace.refresh()
    let looked = Date.now()
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      if (!isAway && Date.now() - looked < refreshEveryMs) return void workspace.glance()
      looked = Date.now()
      look()
    }, glanceEveryMs)
    const stopWaking = pageWakeSource(look)
    window.addEventListener('focus', look)
    return () => {
      clearInterval(timer)
      stopWaking()
      window.removeEventListener('focus', look)
    }
  }, [workspace, isOpen, isAway])
}

function useTitle(): void {
  const title = useApp((state) => findSession(state, state.sessionId)?.title)
  const waiting = useApp((state) => state.asks.length)
  useEffect(() => {
    const name = title === undefined || title === '' ? 'Troupe' : `${title} · Troupe`
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name
  }, [title, waiting])
}

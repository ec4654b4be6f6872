import { ServerOff } from 'lucide-react'
import { Tooltip } from 'radix-ui'
import { lazy, Suspense, useEffect } from 'react'
import { Chat } from '../chat/chat.tsx'
import { pageWakeSource } from '../chat/session/run-stream.ts'
import { PanelArea } from '../panels/panel-area.tsx'
import { readAddress, writeAddress } from '../platform/address.ts'
import { TrashedBar } from '../sessions/session-title.tsx'
import { Sidebar } from '../sessions/sidebar.tsx'
import { useShortcuts } from '../shortcuts/shortcuts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatElements } from '../ui/elements.tsx'
import { findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './app.css'
import './print.css'
import { Header } from './header.tsx'
import {
  ContextDialog,
  FolderDialog,
  ImportDialog,
  InboxDialog,
  PaletteDialog,
  ReviewDialog,
  SettingsDialog,
  ShareDialog,
  ShortcutsDialog,
  WorktreeDialog,
} from './lazy-dialogs.tsx'
import './locked.css'
import { usePageTools, usePollAsks } from './page-effects.ts'

const Locked = lazy(() => import('./locked.tsx').then((loaded) => ({ default: loaded.Locked })))

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
  if (access === 'locked')
    return (
      <Suspense>
        <Locked />
      </Suspense>
    )
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
        <PanelArea key={`panels ${sessionId}`} sessionId={sessionId} />
      </div>
      {dialog === 'settings' && <SettingsDialog />}
      {dialog === 'folders' && <FolderDialog />}
      {dialog === 'worktrees' && <WorktreeDialog />}
      {dialog === 'inbox' && <InboxDialog />}
      {dialog === 'context' && <ContextDialog />}
      {dialog === 'shortcuts' && <ShortcutsDialog />}
      {dialog === 'palette' && <PaletteDialog />}
      {dialog === 'import' && <ImportDialog />}
      {dialog === 'share' && <ShareDialog />}
      {dialog === 'review' && <ReviewDialog />}
    </Tooltip.Provider>
  )
}

const refreshEveryMs = 15_000
const glanceEveryMs = 3_000

/** Polls while the page is visible, because no stream reports changes made elsewhere. */
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

/** Syncs the current session and open settings with the URL, so that reload, links and the back button work. */
function useAddress(): void {
  const { app, folder, folders } = useWorkspace()
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  const settings = useApp((state) => (state.dialog === 'settings' ? state.settingsAt : null))
  useEffect(() => {
    const shown = readAddress(window.location.hash)
    const isSamePlace = shown.sessionId === sessionId && shown.folder === folder
    if (isSamePlace && shown.settings === settings) return
    // A change of the session or the folder adds a history entry; a settings change does not.
    if (isSamePlace) replaceAddress({ sessionId, folder, settings })
    else window.history.pushState(null, '', pageUrl({ sessionId, folder, settings }))
  }, [sessionId, folder, settings])
  useEffect(() => {
    const onPop = () => {
      const named = readAddress(window.location.hash)
      const { sessionId: current, isNew, dialog } = app.getState()
      // Settings and the inbox open over the current session if their URL names no session.
      const isOver = named.sessionId === null && (named.settings !== null || named.inbox)
      if (isOver) replaceAddress({ sessionId: isNew ? null : current, folder, settings: named.settings })
      else if (named.folder !== folder) {
        const target = folders.workspace(named.folder).app
        if (named.sessionId === null && !target.getState().isNew) target.newSession()
        return folders.show(named.folder, named.sessionId)
      } else if (named.sessionId === null && !isNew) app.newSession()
      else if (named.sessionId !== null && (isNew || named.sessionId !== current)) app.select(named.sessionId)
      if (named.settings !== null) app.openSettings(named.settings)
      else if (named.inbox) app.setDialog('inbox')
      else if (dialog === 'settings') app.setDialog(null)
    }
    window.addEventListener('popstate', onPop)
    return () => window.removeEventListener('popstate', onPop)
  }, [app, folder, folders])
}

type Place = Parameters<typeof writeAddress>[0]

export function replaceAddress(place: Place): void {
  window.history.replaceState(null, '', pageUrl(place))
}

function pageUrl(place: Place): string {
  const address = writeAddress(place)
  return address === '#' ? window.location.pathname : address
}

/** Restores lost focus (see `restore-focus.ts`). The focus cannot get lost before the first user input. */
function useFocusRestore(): void {
  useEffect(() => {
    const waiting = new AbortController()
    let stop: (() => void) | undefined
    let isOver = false
    const start = ({ target }: Event) => {
      waiting.abort()
      void import('../ui/restore-focus.ts').then(
        ({ restoreLostFocus }) => {
          if (!isOver) stop = restoreLostFocus(target)
        },
        // The server is unreachable; the page stays readable.
        () => undefined,
      )
    }
    for (const name of ['keydown', 'pointerdown'])
      document.addEventListener(name, start, { capture: true, signal: waiting.signal })
    return () => {
      isOver = true
      waiting.abort()
      stop?.()
    }
  }, [])
}

function Unreachable() {
  const { app } = useWorkspace()
  return (
    <main className="locked">
      <ServerOff aria-hidden />
      <h1>{t.locked.serverUnreachable}</h1>
      <p>{formatElements(t.locked.restart, { npm: <code>npm start</code>, troupe: <code>troupe serve</code> })}</p>
      <Button kind="primary" onClick={() => void app.start(null)}>
        {t.locked.tryAgain}
      </Button>
    </main>
  )
}

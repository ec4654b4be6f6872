import { Tooltip } from 'radix-ui'
import { useEffect } from 'react'
import { readAddress, writeAddress } from './address.ts'
import { AgentsDialog } from './agents/lazy-agents-dialog.tsx'
import { Chat } from './chat/chat.tsx'
import { pageWakeSource } from './chat/wake-source.ts'
import { ContextDialog } from './context/lazy-context-dialog.tsx'
import { findSession } from './find-session.ts'
import { Header } from './header.tsx'
import { InboxDialog } from './inbox/inbox-dialog.tsx'
import { useWatchingAsks } from './inbox/use-watching-asks.ts'
import { Locked, Unreachable } from './locked.tsx'
import { McpDialog } from './mcp/lazy-mcp-dialog.tsx'
import { ModelsDialog } from './models/models-dialog.tsx'
import { Beside } from './panels/beside.tsx'
import { RulesDialog } from './rules/lazy-rules-dialog.tsx'
import { Sidebar } from './sessions/sidebar.tsx'
import { Notices } from './ui/notices.tsx'
import { useApp, useWorkspace } from './workspace.ts'
import './app.css'

export function App() {
  const access = useApp((state) => state.access)
  const sessionId = useApp((state) => state.sessionId)
  const isAway = useApp((state) => state.isAway)
  const dialog = useApp((state) => state.dialog)
  useAddress()
  useLookingAgain()
  useWatchingAsks()
  useNewSessionKey()
  useTitle()
  if (access === 'checking') return null
  if (access === 'locked') return <Locked />
  if (access === 'unreachable') return <Unreachable />
  return (
    <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
      <div className="app" data-away={isAway}>
        <Sidebar />
        <main className="main">
          <Header />
          <Chat key={sessionId} sessionId={sessionId} />
        </main>
        <Beside key={`beside ${sessionId}`} sessionId={sessionId} />
      </div>
      {dialog === 'models' && <ModelsDialog />}
      {dialog === 'inbox' && <InboxDialog />}
      {dialog === 'rules' && <RulesDialog />}
      {dialog === 'agents' && <AgentsDialog />}
      {dialog === 'context' && <ContextDialog />}
      {dialog === 'mcp' && <McpDialog />}
      <Notices />
    </Tooltip.Provider>
  )
}

/** The session in sight stands in the address, so that a reload and the back button find it. */
function useAddress(): void {
  const { app } = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const isNew = useApp((state) => state.isNew)
  useEffect(() => {
    const address = writeAddress(isNew ? null : sessionId)
    if (readAddress(window.location.hash).sessionId === (isNew ? null : sessionId)) return
    window.history.pushState(null, '', address === '#' ? window.location.pathname : address)
  }, [sessionId, isNew])
  useEffect(() => {
    const onPop = () => {
      const { sessionId: named } = readAddress(window.location.hash)
      if (named === null) app.newSession()
      else app.select(named)
    }
    window.addEventListener('popstate', onPop)
    return () => window.removeEventListener('popstate', onPop)
  }, [app])
}

const lookAgainEvery = 15_000
const lookForServerEvery = 3_000

/** What happens elsewhere is told by no stream: while the page is seen it asks now and then. */
function useLookingAgain(): void {
  const workspace = useWorkspace()
  const isOpen = useApp((state) => state.access === 'open' || state.access === 'unreachable')
  const isAway = useApp((state) => state.isAway)
  useEffect(() => {
    if (!isOpen) return
    const look = () => void workspace.refresh()
    const timer = setInterval(
      () => {
        if (document.visibilityState === 'visible') look()
      },
      isAway ? lookForServerEvery : lookAgainEvery,
    )
    const stopWaking = pageWakeSource(look)
    window.addEventListener('focus', look)
    return () => {
      clearInterval(timer)
      stopWaking()
      window.removeEventListener('focus', look)
    }
  }, [workspace, isOpen, isAway])
}

function useNewSessionKey(): void {
  const { app } = useWorkspace()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'o' || !event.shiftKey || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      app.newSession()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [app])
}

function useTitle(): void {
  const title = useApp((state) => findSession(state, state.sessionId)?.title)
  const waiting = useApp((state) => state.asks.length)
  useEffect(() => {
    const name = title === undefined || title === '' ? 'Troupe' : `${title} · Troupe`
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name
  }, [title, waiting])
}

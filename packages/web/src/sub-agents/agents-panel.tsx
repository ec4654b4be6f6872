import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { ReactNode, RefObject } from 'react'
import { useStore } from 'zustand'
import { SessionContext } from '../chat/session-context.ts'
import { Notices } from '../ui/notices.tsx'
import { useWorkspace } from '../workspace.ts'
import { AgentView } from './agent-view.tsx'
import { AllAgents } from './all-agents.tsx'
import './agents-panel.css'

/** Beside the session: its agents, or the conversation of one of them. Where there is no room, over it. */
export function AgentsPanel({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const shown = useStore(store.agents, (state) => state.shown)
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow().matches)
  const close = useCallback(() => store.agents.show(null), [store])
  if (shown === null) return null
  const Frame = isNarrow ? Sheet : Aside
  return (
    <SessionContext value={store}>
      <Frame shown={shown.agentId} onClose={close}>
        {shown.agentId === null ? (
          <AllAgents onClose={close} />
        ) : (
          <AgentView key={shown.agentId} agentId={shown.agentId} onClose={close} />
        )}
      </Frame>
    </SessionContext>
  )
}

interface FrameProps {
  shown: string | null
  onClose: () => void
  children: ReactNode
}

/** It takes the focus when it opens, and gives it back to where it was. */
function Aside({ shown, onClose, children }: FrameProps) {
  const panel = useRef<HTMLElement>(null)
  useKeptFocus(panel, shown)
  useEffect(() => {
    const { current } = panel
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [onClose])
  useEffect(() => {
    const { current } = panel
    const before = document.activeElement
    current?.focus()
    return () => {
      const isInside = current?.contains(document.activeElement) === true || document.activeElement === document.body
      if (!isInside) return
      // What opened it may be gone: then what opens it always.
      const back =
        before instanceof HTMLElement && before.isConnected ? before : document.querySelector('.agents-button')
      if (back instanceof HTMLElement) back.focus()
    }
  }, [])
  return (
    <aside ref={panel} className="agents-panel" aria-label="Agents" tabIndex={-1}>
      {children}
    </aside>
  )
}

function Sheet({ shown, onClose, children }: FrameProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useKeptFocus(sheet, shown)
  useEffect(() => sheet.current?.showModal(), [])
  return (
    <dialog
      ref={sheet}
      className="agents-panel agents-sheet"
      aria-label="Agents"
      tabIndex={-1}
      onClose={onClose}
      {...{ closedby: 'any' }}
    >
      {children}
      {/* What is said elsewhere on the page stands behind a dialog. */}
      <Notices />
    </dialog>
  )
}

/** What had the focus may be gone with what was shown before: then the panel has it. */
function useKeptFocus(panel: RefObject<HTMLElement | null>, shown: string | null): void {
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus()
  }, [panel, shown])
}

/** Below this the sessions, the session and a panel do not fit beside each other. */
function narrow(): MediaQueryList {
  return window.matchMedia('(max-width: 1099px)')
}

function onNarrow(listener: () => void): () => void {
  const query = narrow()
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

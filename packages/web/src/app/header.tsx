import { Bot, ChevronLeft, Inbox, PanelLeftOpen, PanelRight, ShieldOff, SquarePen } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { agentPanel } from '../chat/session/sub-agents.ts'
import { keyText } from '../platform/keyboard.ts'
import { SessionTitle, type TitleMode } from '../sessions/session-title.tsx'
import { togglePanels } from '../state/panels.ts'
import { TeamPart } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { currentMode } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './agents-button.css'
import { ContextRing, useContextFill } from './context-ring.tsx'
import { HeaderMenu } from './header-menu.tsx'
import './header.css'
import { useAgentsOfChat, useAsksElsewhere, usePanelsOfChat } from './header-state.ts'
import './inbox-button.css'

/** Title, context ring, panels and a menu. On a phone: back, title and the menu. */
export function Header() {
  const sessionId = useApp((state) => state.sessionId)
  const mode = useApp(currentMode)
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches)
  return (
    <header className="header" data-mode={mode}>
      <SidebarButtons isNarrow={isNarrow} />
      <TitleAndMenu key={sessionId} mode={mode} isNarrow={isNarrow} />
    </header>
  )
}

function TitleAndMenu({ mode, isNarrow }: { mode: string; isNarrow: boolean }) {
  const [titleMode, setTitleMode] = useState<TitleMode>('shown')
  const fill = useContextFill()
  const sessionId = useApp((state) => state.sessionId)
  return (
    <>
      <SessionTitle mode={titleMode} onMode={setTitleMode} />
      {mode === 'bypass' && (
        <p className="header-bypass">
          <ShieldOff aria-hidden />
          <span>{t.header.bypass}</span>
        </p>
      )}
      <TeamPart part="ChatWatchers" sessionId={sessionId} />
      {!isNarrow && (
        <>
          <InboxButton />
          <AgentsButton />
          <ContextRing fill={fill} />
          <PanelsButton />
        </>
      )}
      <HeaderMenu isNarrow={isNarrow} fill={fill} onTitleMode={setTitleMode} />
    </>
  )
}

/** With the list of chats closed: the way to it, marked if another chat needs the user. */
function SidebarButtons({ isNarrow }: { isNarrow: boolean }) {
  const { app } = useWorkspace()
  const isOpen = useApp((state) => state.sidebar)
  const waiting = useAsksElsewhere()
  if (isOpen && !isNarrow) return null
  if (isNarrow) {
    return (
      <IconButton
        className="header-sessions header-back"
        label={waiting === 0 ? t.header.showSessions : t.header.showSessionsWaiting(waiting)}
        onClick={() => app.setSidebar(true)}
      >
        <ChevronLeft />
        {waiting > 0 && <span className="header-waiting" aria-hidden />}
      </IconButton>
    )
  }
  return (
    <>
      <IconButton className="header-sessions" label={t.header.showSessions} onClick={() => app.setSidebar(true)}>
        <PanelLeftOpen />
      </IconButton>
      <IconButton label={t.header.newSession} onClick={app.newSession}>
        <SquarePen />
      </IconButton>
    </>
  )
}

/** Asks of other chats. Those of this chat are in front of the user. */
function InboxButton() {
  const { app } = useWorkspace()
  const count = useAsksElsewhere()
  if (count === 0) return null
  return (
    <IconButton
      className="inbox-button"
      label={t.inbox.count(count)}
      shortcut={keyText('Mod+I')}
      aria-haspopup="dialog"
      onClick={() => app.setDialog('inbox')}
    >
      <Inbox />
      <span className="inbox-count">{count}</span>
    </IconButton>
  )
}

/** Shown while sub-agents work or are in view. Otherwise the menu has them. */
function AgentsButton() {
  const { store, working, isOpen } = useAgentsOfChat()
  if (working === 0 && !isOpen) return null
  return (
    <IconButton
      className="agents-button"
      label={working > 0 ? t.subAgents.runningCount(working) : t.subAgents.title}
      aria-pressed={isOpen}
      data-working={working > 0}
      onClick={() => (isOpen ? store.panels.hide() : void store.panels.open(agentPanel(store.agents, null)))}
    >
      <Bot />
      {working > 0 && <span className="agents-count">{working}</span>}
    </IconButton>
  )
}

function PanelsButton() {
  const { panels, isOffered, label } = usePanelsOfChat()
  const isShown = useStore(panels, (state) => state.panels.length > 0 && !state.hidden)
  if (!isOffered) return null
  return (
    <IconButton
      className="header-panels"
      label={label}
      shortcut={keyText('Mod+.')}
      aria-pressed={isShown}
      onClick={() => togglePanels(panels)}
    >
      <PanelRight />
      <span className="header-panels-text">{t.panels.title}</span>
    </IconButton>
  )
}

const narrow = window.matchMedia('(max-width: 599px)')

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

import {
  Bot,
  Ellipsis,
  GitBranch,
  Inbox,
  PanelLeftOpen,
  PanelRight,
  ScanText,
  Search,
  ShieldOff,
  SquarePen,
} from 'lucide-react'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { useStore } from 'zustand'
import { isAgentActive } from '../chat/session/sub-agent.ts'
import { agentPanel } from '../chat/session/sub-agents.ts'
import { openFind } from '../find/find.tsx'
import { keyText } from '../platform/keyboard.ts'
import { SessionTitle } from '../sessions/session-title.tsx'
import { frontPanel } from '../state/panels-state.ts'
import { openBranchMap, togglePanels } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { currentMode } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './agents-button.css'
import './inbox-button.css'

function AgentsButton() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const { agents, panels } = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const count = useStore(agents, (state) => state.agents.size)
  const working = useStore(agents, (state) => [...state.agents.values()].filter(isAgentActive).length)
  const isOpen = useStore(panels, (state) => !state.hidden && frontPanel(state)?.kind === 'agent')
  if (count === 0) return null
  return (
    <IconButton
      className="agents-button"
      label={working > 0 ? t.subAgents.runningCount(working) : t.subAgents.count(count)}
      aria-pressed={isOpen}
      data-working={working > 0}
      onClick={() => (isOpen ? panels.hide() : void panels.open(agentPanel(agents, null)))}
    >
      <Bot />
      {working > 0 && <span className="agents-count">{working}</span>}
    </IconButton>
  )
}

function InboxButton() {
  const { app } = useWorkspace()
  const count = useApp((state) => state.asks.length)
  return (
    <IconButton
      className="inbox-button"
      label={count === 0 ? t.inbox.nothingPending : t.inbox.count(count)}
      shortcut={keyText('Mod+I')}
      aria-haspopup="dialog"
      onClick={() => app.setDialog('inbox')}
    >
      <Inbox />
      {count > 0 && <span className="inbox-count">{count}</span>}
    </IconButton>
  )
}

export function Header() {
  const { app } = useWorkspace()
  const sidebar = useApp((state) => state.sidebar)
  const sessionId = useApp((state) => state.sessionId)
  const mode = useApp(currentMode)
  return (
    <header className="header" data-mode={mode}>
      {!sidebar && (
        <>
          <IconButton className="header-sessions" label={t.header.showSessions} onClick={() => app.setSidebar(true)}>
            <PanelLeftOpen />
          </IconButton>
          <IconButton label={t.header.newSession} onClick={app.newSession}>
            <SquarePen />
          </IconButton>
        </>
      )}
      <SessionTitle key={sessionId} />
      {mode === 'bypass' && (
        <p className="header-bypass">
          <ShieldOff aria-hidden />
          <span>{t.header.bypass}</span>
        </p>
      )}
      <HeaderActions />
      <InboxButton />
    </header>
  )
}

interface HeaderAction {
  key: string
  label: string
  icon: ReactNode
  shortcut?: string
  opensDialog?: boolean
  isPressed?: boolean
  onSelect: () => void
}

/** Buttons if they fit next to the title, otherwise a menu. */
function HeaderActions() {
  const ways = useHeaderActions()
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches)
  if (!isNarrow) {
    const [before, after] = [ways.filter(({ key }) => key !== 'panels'), ways.filter(({ key }) => key === 'panels')]
    return (
      <>
        {before.map(actionButton)}
        <AgentsButton />
        {after.map(actionButton)}
      </>
    )
  }
  return (
    <>
      <AgentsButton />
      {ways.length > 0 && (
        <Menu
          trigger={
            <button type="button" className="icon-button header-more" aria-label={t.header.more}>
              <Ellipsis />
            </button>
          }
          items={ways}
        />
      )}
    </>
  )
}

function actionButton({ key, label, icon, shortcut, opensDialog = false, isPressed, onSelect }: HeaderAction) {
  return (
    <IconButton
      key={key}
      className={`header-${key}`}
      label={label}
      {...(shortcut !== undefined && { shortcut })}
      {...(opensDialog && { 'aria-haspopup': 'dialog' })}
      aria-pressed={isPressed}
      onClick={onSelect}
    >
      {icon}
    </IconButton>
  )
}

function useHeaderActions(): HeaderAction[] {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const isNew = useApp((state) => state.isNew)
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const { panels } = store
  const isEmpty = useStore(store, (state) => state.messages.length === 0)
  const count = useStore(panels, (state) => state.panels.length)
  const hidden = useStore(panels, (state) => state.hidden)
  const toggling = hidden ? t.panels.showAll(count) : t.panels.hideAll
  const inMessages: HeaderAction[] = [
    { key: 'find', label: t.find.open, icon: <Search />, onSelect: openFind },
    { key: 'branches', label: t.branches.open, icon: <GitBranch />, onSelect: () => openBranchMap(panels) },
  ]
  const context: HeaderAction = {
    key: 'context',
    label: t.context.title,
    icon: <ScanText />,
    opensDialog: true,
    onSelect: () => workspace.app.setDialog('context'),
  }
  const panelAction: HeaderAction = {
    key: 'panels',
    label: count === 0 ? t.panels.open : toggling,
    icon: <PanelRight />,
    shortcut: keyText('Mod+.'),
    isPressed: count > 0 && !hidden,
    onSelect: () => togglePanels(panels),
  }
  return [...(isEmpty ? [] : inMessages), ...(isNew ? [] : [context]), ...(isNew && count === 0 ? [] : [panelAction])]
}

const narrow = window.matchMedia('(max-width: 599px)')

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

import { PanelLeftOpen, ShieldOff, SquarePen } from 'lucide-react'
import { BranchesButton } from './branches/branches-button.tsx'
import { ContextButton } from './context/context-button.tsx'
import { findSession } from './find-session.ts'
import { InboxButton } from './inbox/inbox-button.tsx'
import { currentMode } from './modes/session-mode.ts'
import { PanelsButton } from './panels/panels-button.tsx'
import { AgentsButton } from './sub-agents/agents-button.tsx'
import { t } from './texts/t.ts'
import { IconButton } from './ui/icon-button.tsx'
import { useApp, useWorkspace } from './workspace.ts'

export function Header() {
  const { app } = useWorkspace()
  const sidebar = useApp((state) => state.sidebar)
  const title = useApp(
    (state) => findSession(state, state.sessionId)?.title ?? (state.isNew ? t.header.newSession : ''),
  )
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
      <h1 className="header-title">{title}</h1>
      {mode === 'bypass' && (
        <p className="header-bypass">
          <ShieldOff aria-hidden />
          {t.header.bypass}
        </p>
      )}
      <BranchesButton />
      <ContextButton />
      <AgentsButton />
      <PanelsButton />
      <InboxButton />
    </header>
  )
}

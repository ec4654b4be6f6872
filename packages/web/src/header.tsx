import { PanelLeftOpen, ShieldOff, SquarePen } from 'lucide-react'
import { BranchesButton } from './branches/branches-button.tsx'
import { ContextButton } from './context/context-button.tsx'
import { InboxButton } from './inbox/inbox-button.tsx'
import { currentMode } from './modes/session-mode.ts'
import { PanelsButton } from './panels/panels-button.tsx'
import { SessionTitle } from './sessions/session-title.tsx'
import { AgentsButton } from './sub-agents/agents-button.tsx'
import { t } from './texts/t.ts'
import { IconButton } from './ui/icon-button.tsx'
import { useApp, useWorkspace } from './workspace.ts'

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

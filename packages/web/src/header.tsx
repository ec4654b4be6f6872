import { PanelLeftOpen, SquarePen } from 'lucide-react'
import { findSession } from './find-session.ts'
import { Inbox } from './inbox.tsx'
import { IconButton } from './ui/icon-button.tsx'
import { useApp, useWorkspace } from './workspace.ts'

export function Header() {
  const { app } = useWorkspace()
  const sidebar = useApp((state) => state.sidebar)
  const title = useApp((state) => findSession(state, state.sessionId)?.title ?? (state.isNew ? 'New session' : ''))
  return (
    <header className="header">
      {!sidebar && (
        <>
          <IconButton label="Show the sessions" onClick={() => app.setSidebar(true)}>
            <PanelLeftOpen />
          </IconButton>
          <IconButton label="New session" onClick={app.newSession}>
            <SquarePen />
          </IconButton>
        </>
      )}
      <h1 className="header-title">{title}</h1>
      <Inbox />
    </header>
  )
}

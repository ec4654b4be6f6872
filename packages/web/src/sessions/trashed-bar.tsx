import { findSession } from '../find-session.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'

/** Above a session that lies in the trash: nothing can be said in it before it is taken out. */
export function TrashedBar() {
  const { app } = useWorkspace()
  const session = useApp((state) => findSession(state, state.sessionId))
  if (session?.trashedAt == null) return null
  return (
    <output className="trashed-bar">
      <span>{t.sessions.inTrash}</span>
      <Button onClick={() => void app.changeSessions([session.id], { trashed: false })}>{t.sessions.restore}</Button>
    </output>
  )
}

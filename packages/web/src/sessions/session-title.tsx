import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { findSession } from '../find-session.ts'
import { t } from '../texts/t.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { NameField } from './name-field.tsx'

/** The name of the session in sight, which a click changes. */
export function SessionTitle() {
  const { app } = useWorkspace()
  const session = useApp((state) => findSession(state, state.sessionId))
  const isNew = useApp((state) => state.isNew)
  const [isRenaming, setRenaming] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  if (session === undefined || session.trashedAt !== null)
    return <h1 className="header-title">{session?.title ?? (isNew ? t.header.newSession : '')}</h1>
  const title = session.title === '' ? t.sessions.untitled : session.title
  if (isRenaming) {
    return (
      <div className="header-title header-renaming">
        <NameField
          label={t.sessions.titleField}
          value={session.title}
          maxLength={500}
          onDone={(renamed, byKey) => {
            flushSync(() => setRenaming(false))
            if (byKey) button.current?.focus()
            if (renamed !== null) void app.rename(session.id, renamed)
          }}
        />
      </div>
    )
  }
  return (
    <h1 className="header-title">
      <button ref={button} type="button" title={t.sessions.rename} onClick={() => setRenaming(true)}>
        {title}
      </button>
    </h1>
  )
}

import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { focusOnMount } from '../ui/focus.ts'
import { findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'

/** Alternatives to the title: its field, the field for a new folder, or the question before deleting for good. */
export type TitleMode = 'shown' | 'renaming' | 'filing' | 'deleting'

export function SessionTitle({ mode, onMode }: { mode: TitleMode; onMode: (mode: TitleMode) => void }) {
  const { app } = useWorkspace()
  const session = useApp((state) => findSession(state, state.sessionId))
  const isNew = useApp((state) => state.isNew)
  const button = useRef<HTMLButtonElement>(null)
  if (session === undefined) return <h1 className="header-title">{isNew ? t.header.newSession : ''}</h1>
  const title = session.title === '' ? t.sessions.untitled : session.title
  const done = (byKey: boolean) => {
    flushSync(() => onMode('shown'))
    if (byKey) button.current?.focus()
  }
  if (mode === 'renaming' || mode === 'filing') {
    return (
      <div className="header-title header-renaming">
        <NameField
          key={mode}
          label={mode === 'renaming' ? t.sessions.titleField : t.sessions.folderName}
          value={mode === 'renaming' ? session.title : ''}
          maxLength={mode === 'renaming' ? 500 : 100}
          onDone={(name, byKey) => {
            done(byKey)
            if (name === null) return
            if (mode === 'renaming') void app.rename(session.id, name)
            else void app.addFolder(name, { sessionIds: [session.id] })
          }}
        />
      </div>
    )
  }
  return (
    <h1 className="header-title" dir="auto">
      {session.trashedAt === null ? (
        <button ref={button} type="button" title={t.sessions.rename} onClick={() => onMode('renaming')}>
          {title}
        </button>
      ) : (
        title
      )}
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.deleteTitle}
          confirm={t.sessions.deletePermanently}
          onConfirm={() => void app.deleteForGood([session.id])}
          onClose={() => onMode('shown')}
        >
          <p>{t.sessions.deleteText(1, title)}</p>
        </ConfirmDialog>
      )}
    </h1>
  )
}

/** Enter and blur save, Escape cancels. */
export function NameField({
  label,
  value: given,
  maxLength,
  onDone,
}: {
  label: string
  value: string
  maxLength: number
  /** Null cancels. `byKey` means the focus is still here. */
  onDone: (name: string | null, byKey: boolean) => void
}) {
  const [value, setValue] = useState(given)
  const ended = useRef(false)
  const end = (saved: boolean, byKey: boolean) => {
    if (ended.current) return
    ended.current = true
    const name = value.trim()
    onDone(saved && name !== '' && name !== given ? name : null, byKey)
  }
  return (
    <input
      className="session-field"
      aria-label={label}
      ref={focusOnMount}
      maxLength={maxLength}
      value={value}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        // Otherwise the key would activate the next focused element.
        event.preventDefault()
        event.stopPropagation()
        end(event.key === 'Enter', true)
      }}
    />
  )
}

/** Bar above a trashed session, which accepts no messages until restored. */
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

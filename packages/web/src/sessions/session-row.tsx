import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ListedSession } from '../api/api.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { focusField } from '../ui/focus-field.ts'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace.ts'
import { SessionMark } from './session-mark.tsx'

export function SessionRow({
  session,
  current,
  time,
  waiting,
}: {
  session: ListedSession
  current: boolean
  /** When it was last used, where its title alone does not tell it from others. */
  time: string | undefined
  /** How many of its asks wait for the person. */
  waiting: number
}) {
  const { app } = useWorkspace()
  const [mode, setMode] = useState<'shown' | 'renaming' | 'removing'>('shown')
  const opener = useRef<HTMLButtonElement>(null)
  const title = session.title === '' ? 'Untitled' : session.title
  if (mode === 'renaming') {
    return (
      <TitleField
        title={session.title}
        onDone={(renamed, byKey) => {
          flushSync(() => setMode('shown'))
          if (byKey) opener.current?.focus()
          if (renamed !== null) void app.rename(session.id, renamed)
        }}
      />
    )
  }
  return (
    <div className="session" data-current={current}>
      <button
        ref={opener}
        type="button"
        className="session-open"
        aria-current={current ? 'page' : undefined}
        onClick={() => app.select(session.id)}
        title={title}
      >
        <span className="session-title">{title}</span>
        {time !== undefined && <span className="session-time">{time}</span>}
        <SessionMark waiting={waiting} running={session.run !== null} />
      </button>
      <Menu
        trigger={
          <button type="button" className="icon-button session-menu" aria-label={`More for ${title}`}>
            <Ellipsis />
          </button>
        }
        items={[
          { label: 'Rename', icon: <Pencil aria-hidden />, onSelect: () => setMode('renaming') },
          { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => setMode('removing') },
        ]}
      />
      {mode === 'removing' && (
        <ConfirmDialog
          title="Delete this session?"
          confirm="Delete"
          onConfirm={() => void app.remove(session.id)}
          onClose={() => setMode('shown')}
        >
          <p>“{title}” and all its messages are removed for good. A run that is on is stopped first.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Enter and leaving the field save, Escape does not. */
function TitleField({ title, onDone }: { title: string; onDone: (title: string | null, byKey: boolean) => void }) {
  const [value, setValue] = useState(title)
  const ended = useRef(false)
  const end = (saved: boolean, byKey: boolean) => {
    if (ended.current) return
    ended.current = true
    const renamed = value.trim()
    onDone(saved && renamed !== '' && renamed !== title ? renamed : null, byKey)
  }
  return (
    <input
      className="session-field"
      aria-label="Title of the session"
      ref={focusField}
      maxLength={500}
      value={value}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') end(true, true)
        if (event.key === 'Escape') end(false, true)
      }}
    />
  )
}

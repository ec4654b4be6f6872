import { Ellipsis } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ListedSession } from '../api/api.ts'
import { t } from '../texts/t.ts'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { startDrag } from './dragged.ts'
import { NameField } from './name-field.tsx'
import { extendSelection } from './next-picked.ts'
import { SessionMark } from './session-mark.tsx'
import { loadSessionMenu, useSessionMenu } from './use-session-menu.ts'

export function SessionRow({
  session,
  current,
  time,
  waiting,
  depth = 0,
  order,
}: {
  session: ListedSession
  current: boolean
  /** When it was last used, where its title alone does not tell it from others. */
  time: string | undefined
  /** How many of its asks wait for the person. */
  waiting: number
  /** How many folders it lies in. */
  depth?: number
  /** The ids of the list that it stands in, for picking several at once. */
  order: () => string[]
}) {
  const workspace = useWorkspace()
  const { app } = workspace
  const picked = useApp((state) => state.picked)
  const menu = useSessionMenu()
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting' | 'filing'>('shown')
  const opener = useRef<HTMLButtonElement>(null)
  const title = session.title === '' ? t.sessions.untitled : session.title
  const done = (byKey: boolean) => {
    flushSync(() => setMode('shown'))
    if (byKey) opener.current?.focus()
  }
  if (mode === 'renaming') {
    return (
      <NameField
        label={t.sessions.titleField}
        value={session.title}
        maxLength={500}
        onDone={(renamed, byKey) => {
          done(byKey)
          if (renamed !== null) void app.rename(session.id, renamed)
        }}
      />
    )
  }
  if (mode === 'filing') {
    return (
      <NameField
        label={t.sessions.folderName}
        value=""
        maxLength={100}
        onDone={(name, byKey) => {
          done(byKey)
          if (name !== null) void app.addFolder(name, { sessionIds: [session.id] })
        }}
      />
    )
  }
  const isPicked = picked?.includes(session.id) ?? false
  const pick = (range: boolean) => app.setPicked(extendSelection(picked ?? [], session.id, range ? order() : []))
  return (
    <div
      className="session"
      data-current={current}
      data-depth={depth}
      draggable
      onPointerEnter={loadSessionMenu}
      onFocus={loadSessionMenu}
      onDragStart={(event) => startDrag(event, isPicked ? (picked ?? []) : [session.id])}
    >
      {picked !== null && (
        <input
          type="checkbox"
          className="session-check"
          aria-label={t.sessions.selectRow(title)}
          checked={isPicked}
          onClick={(event) => pick(event.shiftKey)}
          onChange={() => undefined}
        />
      )}
      <button
        ref={opener}
        type="button"
        className="session-open"
        aria-current={current ? 'page' : undefined}
        title={title}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) pick(event.shiftKey)
          else app.select(session.id)
        }}
        onKeyDown={(event) => {
          if (event.key === 'F2' && session.trashedAt === null) setMode('renaming')
          if (event.key === 'Delete') {
            if (session.trashedAt === null) void menu?.trash(app, [session])
            else setMode('deleting')
          }
        }}
      >
        <span className="session-title">{title}</span>
        {time !== undefined && <span className="session-time">{time}</span>}
        <SessionMark waiting={waiting} running={session.run !== null} />
      </button>
      <Menu
        trigger={
          <button type="button" className="icon-button session-menu" aria-label={t.sessions.moreFor(title)}>
            <Ellipsis />
          </button>
        }
        items={
          menu?.sessionMenu(app, session, {
            rename: () => setMode('renaming'),
            newFolder: () => setMode('filing'),
            deleteForGood: () => setMode('deleting'),
            branch: () => (current ? workspace.session(session.id).getState().messages.at(-1)?.id : undefined),
          }) ?? []
        }
      />
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.deleteTitle}
          confirm={t.sessions.deleteForGood}
          onConfirm={() => void app.deleteForGood([session.id])}
          onClose={() => setMode('shown')}
        >
          <p>{t.sessions.deleteText(1, title)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

import { Ellipsis } from 'lucide-react'
import { type DragEvent, useId, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import type { ListedSession } from '../api/api.ts'
import { formatAgo } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import { isUnread } from '../workspace/seen-chats.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { NameField } from './session-title.tsx'

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
  /** Time of last use, if the title is not unique. */
  time: string | undefined
  waiting: number
  depth?: number
  /** IDs of the surrounding list, for range selection. */
  order: () => string[]
}) {
  const workspace = useWorkspace()
  const { app } = workspace
  const picked = useApp((state) => state.picked)
  const isNews = useApp((state) => !current && isUnread(state.seen, session))
  const newsId = useId()
  const [now, setNow] = useState(Date.now)
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
      data-unread={isNews}
      data-depth={depth}
      draggable
      onPointerEnter={() => {
        loadSessionMenu()
        setNow(Date.now())
      }}
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
        aria-describedby={isNews ? newsId : undefined}
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
        <span className="session-title" dir="auto">
          {title}
        </span>
        <span className="session-ago" aria-hidden>
          {formatAgo(session.updatedAt, now)}
        </span>
        {time !== undefined && <span className="session-time">{time}</span>}
        <SessionMark waiting={waiting} running={session.run !== null} />
        {isNews && (
          <>
            {waiting === 0 && session.run === null && (
              <span className="session-dot session-unread" title={t.sessions.unread} aria-hidden />
            )}
            <span id={newsId} hidden>
              {t.sessions.unread}
            </span>
          </>
        )}
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
            link: workspace.link,
            branch: () => (current ? workspace.session(session.id).getState().messages.at(-1)?.id : undefined),
          }) ?? []
        }
      />
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.deleteTitle}
          confirm={t.sessions.deletePermanently}
          onConfirm={() => void app.deleteForGood([session.id])}
          onClose={() => setMode('shown')}
        >
          <p>{t.sessions.deleteText(1, title)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const dragType = 'application/x-troupe-sessions'

function startDrag(event: DragEvent, sessionIds: string[]): void {
  event.dataTransfer.setData(dragType, JSON.stringify(sessionIds))
  event.dataTransfer.effectAllowed = 'move'
}

/** Accepts dragged sessions. False for anything else. */
export function allowDrop(event: DragEvent): boolean {
  if (!event.dataTransfer.types.includes(dragType)) return false
  event.preventDefault()
  event.dataTransfer.dropEffect = 'move'
  return true
}

export function droppedSessions(event: DragEvent): string[] {
  event.preventDefault()
  try {
    const ids: unknown = JSON.parse(event.dataTransfer.getData(dragType))
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

/** Toggles one session. With an order, selects the range from the last selected one. */
export function extendSelection(picked: string[], id: string, order: string[]): string[] {
  const from = order.indexOf(picked.at(-1) ?? '')
  const to = order.indexOf(id)
  if (from === -1 || to === -1) return picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1).filter((one) => one !== id)
  return [...new Set([...picked.filter((one) => one !== id), ...between, id])]
}

export function SessionMark({ waiting, running }: { waiting: number; running: boolean }) {
  if (waiting === 0 && !running) return null
  const label = waiting > 0 ? t.sessions.needsAttention : t.sessions.running
  return (
    <>
      <span className={`session-dot ${waiting > 0 ? 'session-waiting' : 'session-running'}`} title={label} />
      <span className="visually-hidden">{`, ${label}`}</span>
    </>
  )
}

type SessionMenuModule = typeof import('./session-menu.tsx')

let loaded: SessionMenuModule | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()

/** Loads the session menu on demand, to keep it out of the initial load. */
export function useSessionMenu(): SessionMenuModule | undefined {
  return useSyncExternalStore(subscribe, () => loaded)
}

export function loadSessionMenu(): void {
  loading ??= import('./session-menu.tsx').then(
    (module) => {
      loaded = module
      for (const listener of listeners) listener()
    },
    // Loading failed; the next call retries.
    () => void (loading = undefined),
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

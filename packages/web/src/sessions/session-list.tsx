import type { Folder } from '@troupe/core'
import { ChevronRight, Ellipsis, Folder as FolderIcon, FolderOpen, FolderPlus, Pencil, Trash2 } from 'lucide-react'
import { type HTMLAttributes, type KeyboardEvent, type ReactElement, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ListedSession } from '../api/api.ts'
import { dayGroup, formatMoment } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Menu } from '../ui/menu.tsx'
import '../ui/rows.css'
import { useVirtualList } from '../ui/scrolling.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { allowDrop, droppedSessions, SessionRow } from './session-row.tsx'
import { NameField } from './session-title.tsx'

/** Approximate height of most rows, in pixels. */
const rowHeight = 36
const rowsAhead = 12

/**
 * Lists folders first, then other sessions: pinned ones, then newest first, grouped by day of last use. Loads more on
 * scroll.
 */
export function SessionList() {
  const { app } = useWorkspace()
  const view = useApp((state) => state.view)
  const aside = useApp((state) => state.otherView)
  const listed = useApp((state) => state.sessions)
  const folders = useApp((state) => state.folders)
  const openFolders = useApp((state) => state.openFolders)
  const pages = useApp((state) => state.folderPages)
  const current = useApp((state) => state.sessionId)
  const asks = useApp((state) => state.asks)
  const waiting = useMemo(() => Map.groupBy(asks, (ask) => ask.sessionId), [asks])
  const isActive = view === 'active'
  const sessions = isActive ? listed : aside?.sessions
  const groups = useMemo(() => groupByDay(sessions ?? [], isActive), [sessions, isActive])
  const times = useMemo(() => timesForDuplicateTitles(sessions ?? []), [sessions])
  if (sessions === undefined) return <p className="sessions-none">{t.ui.loading}</p>
  if (sessions.length === 0 && (!isActive || folders.length === 0)) {
    const none = { active: t.sessions.none, archived: t.sessions.archiveNone, trashed: t.sessions.trashNone }[view]
    return <p className="sessions-none">{none}</p>
  }
  const order = () => groups.flatMap(([, members]) => members.map(({ id }) => id))
  const row = (session: ListedSession, depth: number, inside: () => string[]) => (
    <SessionRow
      // A session may briefly appear in two places.
      key={`${session.folderId ?? ''} ${session.id}`}
      session={session}
      current={session.id === current}
      time={times.get(session.id)}
      waiting={waiting.get(session.id)?.length ?? 0}
      depth={depth}
      order={inside}
    />
  )
  const folderRows = (parent: Folder | null): ReactElement[] =>
    folders
      .filter((folder) => folder.parentFolderId === (parent?.id ?? null))
      .flatMap((folder) => {
        const open = openFolders.includes(folder.id)
        const page = open ? pages[folder.id] : undefined
        const depth = parent === null ? 1 : 2
        return [
          <FolderRow key={folder.id} folder={folder} open={open} />,
          ...(open ? folderRows(folder) : []),
          ...(page?.sessions.map((session) => row(session, depth, () => page.sessions.map(({ id }) => id))) ?? []),
          ...(page !== undefined && page.nextCursor !== null
            ? [
                <Button key={`more ${folder.id}`} kind="quiet" onClick={() => void app.loadMoreOf(folder.id)}>
                  {t.sessions.showMore}
                </Button>,
              ]
            : []),
          ...(page?.sessions.length === 0 && !folders.some(({ parentFolderId }) => parentFolderId === folder.id)
            ? [
                <p key={`none ${folder.id}`} className="folder-empty">
                  {t.sessions.folderEmpty}
                </p>,
              ]
            : []),
        ]
      })
  return (
    <>
      {view === 'trashed' && <p className="sessions-hint">{t.sessions.trashHint}</p>}
      <SessionRows
        onEndNear={() => void (isActive ? app.loadMoreSessions() : app.loadMoreOf(null))}
        onDragOver={(event) => void (isActive && allowDrop(event))}
        onDrop={(event) => {
          const inFolder = (event.target as Element).closest('.folder') !== null
          if (isActive && !inFolder) void app.changeSessions(droppedSessions(event), { folderId: null })
        }}
      >
        {[
          ...(isActive ? folderRows(null) : []),
          ...groups.flatMap(([title, members]) => [
            <h3 key={title} className="sessions-day">
              {title}
            </h3>,
            ...members.map((session) => row(session, 0, order)),
          ]),
        ]}
      </SessionRows>
    </>
  )
}

/** Virtual list: renders only visible rows. */
function SessionRows({
  children,
  onEndNear,
  ...drops
}: { children: ReactElement[]; onEndNear: () => void } & Pick<HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDrop'>) {
  const scroller = useRef<HTMLDivElement>(null)
  const keys = children.map(({ key }) => key ?? '')
  const { list, from, to, room } = useVirtualList(keys, {
    scroller,
    guess: () => rowHeight,
    begins: { at: 'start', height: window.innerHeight },
    buffer: rowsAhead * rowHeight,
    // At the top, stay there so that new rows are visible.
    keepsEnd: () => scroller.current?.scrollTop === 0,
    onEndNear,
  })
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys from one to the next, and a place to drop
    <div
      ref={scroller}
      className="sessions"
      data-focus-home=".session-open"
      onKeyDown={(event) => void moveInList(event, event.currentTarget.closest('nav'))}
      {...drops}
    >
      <div ref={list} style={room}>
        {children.slice(from, to).map((row) => (
          <div key={row.key} className="row">
            {row}
          </div>
        ))}
      </div>
    </div>
  )
}

function timesForDuplicateTitles(sessions: ListedSession[]): Map<string, string> {
  const now = Date.now()
  const groups = Map.groupBy(sessions, (session) => session.title)
  const equal = [...groups.values()].filter((members) => members.length > 1).flat()
  return new Map(equal.map(({ id, updatedAt }) => [id, formatMoment(updatedAt, now)]))
}

function groupByDay(sessions: ListedSession[], withPinned: boolean): [string, ListedSession[]][] {
  const now = Date.now()
  const pinned = withPinned ? sessions.filter((session) => session.pinned) : []
  const days = Map.groupBy(
    sessions.filter((session) => !withPinned || !session.pinned),
    (session) => dayGroup(session.trashedAt ?? session.updatedAt, now),
  )
  return [...(pinned.length > 0 ? [[t.sessions.pinned, pinned] as [string, ListedSession[]]] : []), ...days]
}

function FolderRow({ folder, open }: { folder: Folder; open: boolean }) {
  const { app } = useWorkspace()
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting' | 'adding'>('shown')
  const [over, setOver] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const isInner = folder.parentFolderId !== null
  const done = (byKey: boolean) => {
    flushSync(() => setMode('shown'))
    if (byKey) opener.current?.focus()
  }
  if (mode === 'renaming') {
    return (
      <NameField
        label={t.sessions.folderName}
        value={folder.name}
        maxLength={100}
        onDone={(name, byKey) => {
          done(byKey)
          if (name !== null) void app.renameFolder(folder.id, name)
        }}
      />
    )
  }
  return (
    <div
      className="session folder"
      data-over={over}
      data-depth={isInner ? 1 : 0}
      onDragOver={(event) => setOver(allowDrop(event))}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        void app.changeSessions(droppedSessions(event), { folderId: folder.id })
      }}
    >
      <button
        ref={opener}
        type="button"
        className="session-open"
        aria-expanded={open}
        title={folder.name}
        onClick={() => void app.toggleFolder(folder.id)}
        onKeyDown={(event) => {
          if (event.key === 'F2') setMode('renaming')
          if (event.key === 'Delete') setMode('deleting')
          if ((event.key === 'ArrowRight' && !open) || (event.key === 'ArrowLeft' && open))
            void app.toggleFolder(folder.id)
        }}
      >
        <ChevronRight aria-hidden className="folder-arrow" />
        {open ? <FolderOpen aria-hidden /> : <FolderIcon aria-hidden />}
        <span className="session-title">
          {folder.name}
          <span className="visually-hidden">{t.sessions.folderCount(folder.sessionCount)}</span>
        </span>
        <span className="session-time" aria-hidden>
          {folder.sessionCount}
        </span>
      </button>
      <Menu
        trigger={
          <button type="button" className="icon-button session-menu" aria-label={t.sessions.folderMore(folder.name)}>
            <Ellipsis />
          </button>
        }
        items={[
          { label: t.sessions.rename, icon: <Pencil aria-hidden />, onSelect: () => setMode('renaming') },
          ...(isInner
            ? []
            : [
                {
                  label: t.sessions.newFolderHere,
                  icon: <FolderPlus aria-hidden />,
                  onSelect: () => setMode('adding'),
                },
              ]),
          {
            label: t.sessions.folderDelete,
            icon: <Trash2 aria-hidden />,
            danger: true,
            onSelect: () => setMode('deleting'),
          },
        ]}
      />
      {mode === 'adding' && (
        <NameField
          label={t.sessions.folderName}
          value=""
          maxLength={100}
          onDone={(name, byKey) => {
            done(byKey)
            if (name !== null) void app.addFolder(name, { parentFolderId: folder.id })
          }}
        />
      )}
      {mode === 'deleting' && (
        <ConfirmDialog
          title={t.sessions.folderDeleteTitle}
          confirm={t.sessions.folderDelete}
          onConfirm={() => void app.deleteFolder(folder.id)}
          onClose={() => setMode('shown')}
        >
          <p>{t.sessions.folderDeleteText(folder.name)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

/** Moves the focus up and down through sessions and folders, and between the search field and the first row. */
export function moveInList(event: KeyboardEvent<HTMLElement>, around: HTMLElement | null): boolean {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || event.altKey || event.nativeEvent.isComposing) return false
  const stops = [...(around?.querySelectorAll<HTMLElement>('.sidebar-search input, .session-open, .hit') ?? [])]
  const at = stops.indexOf(event.target as HTMLElement)
  const next = at === -1 ? undefined : stops[at + step]
  if (next === undefined) return false
  event.preventDefault()
  next.focus()
  return true
}

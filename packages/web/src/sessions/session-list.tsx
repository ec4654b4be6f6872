import { useMemo, useRef } from 'react'
import type { HTMLAttributes, ReactElement } from 'react'
import type { Folder } from '@troupe/core'
import type { ListedSession } from '../api/api.ts'
import { useVirtualList } from '../rows/use-row-window.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { dayGroup, formatMoment } from '../ui/format.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { allowDrop, droppedSessions } from './dragged.ts'
import { FolderRow } from './folder-row.tsx'
import { moveInList } from './move-in-list.ts'
import { SessionRow } from './session-row.tsx'
import '../rows/rows.css'

/** About, of most rows. */
const rowHeight = 36
const rowsAhead = 12

/**
 * The sessions of the view: folders first, then those that lie in none, the pinned before the others, newest first,
 * under the day they were last used. More come as the person scrolls.
 */
export function SessionList() {
  const { app } = useWorkspace()
  const view = useApp((state) => state.view)
  const aside = useApp((state) => state.aside)
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
      // For a moment it may stand in two places.
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

/** Of a long list only what is in sight is drawn. */
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
    // Who is at the top sees what comes to stand there.
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

/** By session, where its title stands for others too: the time tells them apart. */
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

import { useMemo, useRef } from 'react'
import { VList } from 'virtua'
import type { VListHandle } from 'virtua'
import type { ListedSession } from '../api/api.ts'
import { dayGroup, formatMoment } from '../ui/format.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { SessionRow } from './session-row.tsx'

/** All sessions, newest first, under the day they were last used; more come as the person scrolls. */
export function SessionList() {
  const { app } = useWorkspace()
  const sessions = useApp((state) => state.sessions)
  const current = useApp((state) => state.sessionId)
  const asks = useApp((state) => state.asks)
  const list = useRef<VListHandle>(null)
  const waiting = useMemo(() => Map.groupBy(asks, (ask) => ask.sessionId), [asks])
  const groups = useMemo(() => grouped(sessions), [sessions])
  const times = useMemo(() => timesOfEqualTitles(sessions), [sessions])
  if (sessions.length === 0) return <p className="sessions-none">Your sessions will stand here.</p>
  return (
    <VList
      ref={list}
      className="sessions"
      onScroll={(offset) => {
        const { current: handle } = list
        if (handle !== null && handle.scrollSize - offset - handle.viewportSize < 400) void app.loadMoreSessions()
      }}
    >
      {groups.flatMap(([title, members]) => [
        <h2 key={title} className="sessions-day">
          {title}
        </h2>,
        ...members.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            current={session.id === current}
            time={times.get(session.id)}
            waiting={waiting.get(session.id)?.length ?? 0}
          />
        )),
      ])}
    </VList>
  )
}

/** By session, where its title stands for others too: the time tells them apart. */
function timesOfEqualTitles(sessions: ListedSession[]): Map<string, string> {
  const now = Date.now()
  const groups = Map.groupBy(sessions, (session) => session.title)
  const equal = [...groups.values()].filter((members) => members.length > 1).flat()
  return new Map(equal.map(({ id, updatedAt }) => [id, formatMoment(updatedAt, now)]))
}

function grouped(sessions: ListedSession[]): [string, ListedSession[]][] {
  const now = Date.now()
  const pinned = sessions.filter((session) => session.pinned)
  const days = Map.groupBy(
    sessions.filter((session) => !session.pinned),
    (session) => dayGroup(session.updatedAt, now),
  )
  return [...(pinned.length > 0 ? [['Pinned', pinned] as [string, ListedSession[]]] : []), ...days]
}

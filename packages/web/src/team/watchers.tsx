import { useTeam } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { useApp } from '../workspace/workspace.ts'
import { Avatar } from './parts/avatar.tsx'
import { useChatPeople, useWatch } from './chat-people.ts'
import './watchers.css'

const most = 3

/** Avatars of the other people who watch the chat. */
export function ChatWatchers({ sessionId }: { sessionId: string }) {
  const isNew = useApp((state) => state.isNew)
  return isNew ? null : <Watching sessionId={sessionId} />
}

function Watching({ sessionId }: { sessionId: string }) {
  useWatch(sessionId)
  const own = useTeam((state) => state.page?.person.id)
  const watchers = useChatPeople(sessionId, (chat) => chat.watchers).filter(({ id }) => id !== own)
  if (watchers.length === 0) return null
  const label = t.team.watchers(watchers.map(({ name }) => name).join(', '))
  return (
    <div className="watchers" title={label}>
      <span className="visually-hidden">{label}</span>
      {watchers.slice(0, most).map(({ id, name }) => (
        <Avatar key={id} name={name} />
      ))}
      {watchers.length > most && (
        <span className="avatar" aria-hidden>
          +{watchers.length - most}
        </span>
      )}
    </div>
  )
}

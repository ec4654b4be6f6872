import { useCallback, useEffect } from 'react'
import { useServerData } from '../settings/section-parts.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './shared-chats.css'

/** Chats that others shared with the person, of all folders. */
export function SharedChats() {
  const { api, app, folders } = useWorkspace()
  const current = useApp((state) => state.sessionId)
  const { value, again } = useServerData(useCallback(() => api.call('GET /ai/shared-sessions'), [api]))
  useEffect(() => {
    const look = () => void again()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [again])
  const sessions = value?.sessions ?? []
  if (sessions.length === 0) return null
  const open = (id: string, workspaceId: string) => {
    const isKnown = folders.getState().recent?.some((folder) => folder.id === workspaceId) === true
    if (isKnown) folders.show(workspaceId, id)
    // The folder is not theirs, but the chat is.
    else app.select(id)
  }
  return (
    <details className="shared-chats">
      <summary>{t.team.shared.title}</summary>
      <ul>
        {sessions.map(({ id, title, workspaceId, owner }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === current ? 'page' : undefined}
              onClick={() => open(id, workspaceId)}
            >
              <span dir="auto">
                <VisibleText text={title === '' ? t.sessions.untitled : title} as="name" />
              </span>
              {owner !== null && <small>{t.team.shared.by(owner.name)}</small>}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

import { useCallback, useEffect, useRef } from 'react'
import { ServerDataStatus, useServerData } from '../settings/section-parts.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { Avatar } from './parts/avatar.tsx'
import './mentions.css'

/** Comments that mention the person, newest first. Opening it marks them as seen. */
export function MentionsDialog({ onClose }: { onClose: () => void }) {
  const { api, app } = useWorkspace()
  const dialog = useRef<HTMLDialogElement>(null)
  const asked = useServerData(useCallback(() => api.call('GET /ai/mentions'), [api]))
  const isRead = asked.value !== null
  useEffect(() => {
    // They stay marked as new until the next visit otherwise.
    if (isRead) api.call('POST /ai/mentions/seen').catch(() => undefined)
  }, [api, isRead])
  return (
    <Dialog ref={dialog} title={t.team.mentions.title} className="mentions" onClose={onClose}>
      <ServerDataStatus asked={asked} />
      {asked.value?.mentions.length === 0 && <p className="dialog-text">{t.team.mentions.none}</p>}
      <ul>
        {asked.value?.mentions.map(({ id, author, text, createdAt, sessionId, sessionTitle, messageId, seen }) => (
          <li key={id} data-new={!seen}>
            <button
              type="button"
              onClick={() => {
                dialog.current?.close()
                app.select(sessionId, messageId)
              }}
            >
              <Avatar name={author?.name ?? '?'} />
              <span>
                <span className="comment-head">
                  <strong dir="auto">{author?.name ?? t.team.formerMember}</strong>{' '}
                  {t.team.mentions.in(sessionTitle === '' ? t.sessions.untitled : sessionTitle)} ·{' '}
                  <Moment time={createdAt} />
                </span>
                <span dir="auto">
                  <VisibleText text={text} />
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div className="dialog-buttons">
        <Button onClick={() => dialog.current?.close()}>{t.ui.close}</Button>
      </div>
    </Dialog>
  )
}

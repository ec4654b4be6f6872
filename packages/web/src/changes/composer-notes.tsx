import { X } from 'lucide-react'
import { useRef } from 'react'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { openChanges } from '../state/panels.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { placeOf, removeComments, useComments } from './comments.ts'
import './composer-notes.css'

/** Above the message box: comments that go with the next message, and a way back from a rewind. */
export function ComposerNotes() {
  const { rewindTo, panels } = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  const isRewound = useSession((state) => state.isRewound)
  const comments = useComments(sessionId)
  const list = useRef<HTMLUListElement>(null)
  const remove = (ids: string[], index: number) => {
    removeComments(sessionId, ids)
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll<HTMLElement>('.icon-button')
      const next = buttons?.[Math.min(index, buttons.length - 1)]
      ;(next ?? document.querySelector<HTMLElement>('.composer-box textarea'))?.focus()
    })
  }
  return (
    <>
      {isRewound && (
        <div className="composer-note">
          <output>{t.rewind.bar}</output>
          <Button onClick={() => void rewindTo(undefined)}>{t.rewind.showAll}</Button>
        </div>
      )}
      {comments.length > 0 && (
        <section className="composer-note composer-comments" aria-label={t.comments.own}>
          <div>
            <output>{t.comments.count(comments.length)}</output>
            {comments.length > 1 && (
              <Button
                kind="quiet"
                onClick={() =>
                  remove(
                    comments.map(({ id }) => id),
                    0,
                  )
                }
              >
                {t.comments.removeAll}
              </Button>
            )}
          </div>
          <ul ref={list}>
            {comments.map((comment, index) => (
              <li key={comment.id}>
                <button type="button" onClick={() => openChanges(panels)}>
                  <span className="change-place">
                    <VisibleText text={placeOf(comment)} as="name" />
                  </span>
                  <span dir="auto">{comment.text}</span>
                </button>
                <IconButton label={t.comments.remove(placeOf(comment))} onClick={() => remove([comment.id], index)}>
                  <X />
                </IconButton>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

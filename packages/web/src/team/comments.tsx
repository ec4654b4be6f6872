import { MessageSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { create } from 'zustand'
import { noticeError } from '../state/notices.tsx'
import { useTeam } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { Avatar } from './parts/avatar.tsx'
import { refreshComments, useChatPeople } from './chat-people.ts'
import { CommentForm } from './comment-form.tsx'
import './comments.css'

interface Place {
  sessionId: string
  messageId: string
}

/** Messages with an open thread. */
const useOpen = create<Record<string, boolean>>(() => ({}))

/** Opens the comments on a message. */
export function CommentButton({ sessionId, messageId }: Place) {
  const isOpen = useOpen((state) => state[messageId] === true)
  const canComment = useChatPeople(sessionId, ({ right }) => right !== 'read')
  const count = useCount({ sessionId, messageId })
  if (!canComment && count === 0) return null
  return (
    <IconButton
      label={t.team.comments.open(count)}
      aria-expanded={isOpen}
      onClick={() => useOpen.setState({ [messageId]: !isOpen })}
    >
      <MessageSquare />
    </IconButton>
  )
}

function useCount({ sessionId, messageId }: Place): number {
  return useChatPeople(sessionId, ({ comments }) => comments.filter((one) => one.messageId === messageId).length)
}

/** Comments on a message. Without any, only there once it was asked for. */
export function CommentThread({ sessionId, messageId }: Place) {
  const isOpen = useOpen((state) => state[messageId] === true)
  const count = useCount({ sessionId, messageId })
  if (!isOpen && count === 0) return null
  return (
    <section className="comments" aria-label={t.team.comments.list}>
      {count > 0 && (
        <button
          type="button"
          className="comments-toggle"
          aria-expanded={isOpen}
          onClick={() => useOpen.setState({ [messageId]: !isOpen })}
        >
          <MessageSquare aria-hidden />
          {t.team.comments.open(count)}
        </button>
      )}
      {isOpen && <Thread sessionId={sessionId} messageId={messageId} />}
    </section>
  )
}

function Thread({ sessionId, messageId }: Place) {
  const { api } = useWorkspace()
  const own = useTeam((state) => state.page?.person.id)
  const all = useChatPeople(sessionId, ({ comments }) => comments)
  const right = useChatPeople(sessionId, (chat) => chat.right)
  const [deleting, setDeleting] = useState<string | null>(null)
  const remove = async (commentId: string) => {
    setDeleting(commentId)
    try {
      await api.call('DELETE /ai/sessions/:id/comments/:commentId', { params: { id: sessionId, commentId } })
      await refreshComments(api, sessionId)
    } catch (error) {
      noticeError(error)
    }
    setDeleting(null)
  }
  return (
    <>
      <ul>
        {all
          .filter((one) => one.messageId === messageId)
          .map(({ id, author, text, createdAt }) => (
            <li key={id}>
              <Avatar name={author?.name ?? '?'} />
              <div className="comment-text">
                <p className="comment-head">
                  <strong dir="auto">{author?.name ?? t.team.formerMember}</strong> <Moment time={createdAt} />
                </p>
                <p dir="auto">
                  <VisibleText text={text} />
                </p>
              </div>
              {(author?.id === own || right === 'manage') && (
                <IconButton label={t.team.comments.delete} disabled={deleting === id} onClick={() => void remove(id)}>
                  <Trash2 />
                </IconButton>
              )}
            </li>
          ))}
      </ul>
      {right === 'read' ? (
        <p className="comments-none">{t.team.comments.cannot}</p>
      ) : (
        <CommentForm sessionId={sessionId} messageId={messageId} />
      )}
    </>
  )
}

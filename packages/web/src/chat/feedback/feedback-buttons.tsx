import type { Feedback } from '@troupe/protocol'
import { ThumbsDown, ThumbsUp } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { t } from '../../texts/t.ts'
import { IconButton } from '../../ui/button.tsx'
import { useSessionStore } from '../session/session-context.ts'

const FeedbackForm = lazy(() => import('./feedback-form.tsx').then((module) => ({ default: module.FeedbackForm })))

/** Rates an answer with one click. Then a form asks for an optional reason; a second click opens it again. */
export function FeedbackButtons({ messageId, feedback }: { messageId: string; feedback: Feedback | undefined }) {
  const { rate } = useSessionStore()
  const [open, setOpen] = useState(false)
  const up = useRef<HTMLButtonElement>(null)
  const down = useRef<HTMLButtonElement>(null)
  const press = (rating: Feedback['rating']) => {
    setOpen(true)
    if (feedback?.rating !== rating) void rate(messageId, { rating, text: feedback?.text })
  }
  return (
    <>
      <IconButton
        ref={up}
        label={t.feedback.up}
        aria-pressed={feedback?.rating === 'up'}
        className={feedback?.rating === 'up' ? 'feedback-given' : ''}
        onClick={() => press('up')}
      >
        <ThumbsUp />
      </IconButton>
      <IconButton
        ref={down}
        label={t.feedback.down}
        aria-pressed={feedback?.rating === 'down'}
        className={feedback?.rating === 'down' ? 'feedback-given' : ''}
        onClick={() => press('down')}
      >
        <ThumbsDown />
      </IconButton>
      {open && feedback !== undefined && (
        <Suspense>
          <FeedbackForm
            key={feedback.rating}
            messageId={messageId}
            feedback={feedback}
            anchor={feedback.rating === 'up' ? up : down}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

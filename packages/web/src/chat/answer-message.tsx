import { RotateCw } from 'lucide-react'
import type { SiblingPlace } from '@troupe/core'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { AnswerFacts } from './answer-facts.tsx'
import { AnswerMarks } from './answer-marks.tsx'
import { AnswerParts } from './answer-parts.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { textOf } from './session-state.ts'
import type { VisibleMessage } from './session-state.ts'

export function AnswerMessage({
  message,
  place,
  last,
}: {
  message: VisibleMessage
  place: SiblingPlace | undefined
  last: boolean
}) {
  const { regenerate } = useSessionStore()
  const live = message.live === true
  const progress = useSession((state) => (live ? state.run?.progress : undefined))
  const busy = useSession((state) => state.run !== null)
  const isOfAgent = useSession((state) => state.agentId !== null)
  const text = textOf(message)
  return (
    <article
      className={last ? 'message message-answer message-last' : 'message message-answer'}
      aria-label="Answer"
      aria-busy={live}
    >
      <AnswerParts message={message} progress={progress} />
      <AnswerMarks message={message} />
      {!live && (
        <div className="message-actions">
          {text !== '' && <CopyButton text={text} label="Copy answer" />}
          {message.metadata?.error === undefined && !isOfAgent && (
            <IconButton
              label={busy ? 'Regenerate (when the answer is done)' : 'Regenerate'}
              disabled={busy}
              onClick={() => void regenerate(message.id)}
            >
              <RotateCw />
            </IconButton>
          )}
          <BranchArrows place={place} />
          <AnswerFacts metadata={message.metadata} />
        </div>
      )}
    </article>
  )
}

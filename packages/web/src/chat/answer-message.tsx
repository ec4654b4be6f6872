import { RotateCw } from 'lucide-react'
import type { SiblingPlace } from '@troupe/core'
import { t } from '../texts/t.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { AnswerFacts } from './answer-facts.tsx'
import { AnswerMarks } from './answer-marks.tsx'
import { AnswerParts } from './answer-parts.tsx'
import { AnswerSources } from './answer-sources.tsx'
import { BranchArrows } from './branch-arrows.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageMenu } from './message-menu.tsx'
import { RegenerateWith } from './regenerate-with.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { messageText } from './session-state.ts'
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
  const text = messageText(message)
  return (
    <article
      className={last ? 'message message-answer message-last' : 'message message-answer'}
      aria-label={t.chat.answer}
      aria-busy={live}
      data-message={message.id}
    >
      <AnswerParts message={message} progress={progress} />
      <AnswerSources parts={message.parts} />
      <AnswerMarks message={message} last={last} />
      {!live && (
        <MessageActions>
          {text !== '' && <CopyButton text={text} label={t.chat.copyAnswer} />}
          {message.metadata?.error === undefined && !isOfAgent && (
            <IconButton
              label={busy ? t.chat.regenerateWhenDone : t.chat.regenerate}
              disabled={busy}
              onClick={() => void regenerate(message.id)}
            >
              <RotateCw />
            </IconButton>
          )}
          {!isOfAgent && <RegenerateWith messageId={message.id} current={message.metadata?.model} disabled={busy} />}
          <MessageMenu message={message} />
          <BranchArrows place={place} />
          <AnswerFacts metadata={message.metadata} />
        </MessageActions>
      )}
    </article>
  )
}

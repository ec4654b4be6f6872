import type { SiblingPlace } from '@troupe/core'
import { type Metadata, totalUsage } from '@troupe/protocol'
import { ChevronDown, RotateCw } from 'lucide-react'
import { lazy, memo, useState } from 'react'
import { formatCost, formatCount, formatDuration, formatMoment, isLong } from '../../texts/format.ts'
import { useReadOnly } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { CopyButton, IconButton } from '../../ui/button.tsx'
import { OnDemand } from '../../ui/menu.tsx'
import { FeedbackButtons } from '../feedback/feedback-buttons.tsx'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { messageText, type VisibleMessage } from '../session/session-state.ts'
import { AnswerMarks, AnswerSources } from './answer-marks.tsx'
import { AnswerParts } from './answer-parts.tsx'
import { BranchArrows, MessageActions, MessageComments, MessageMenu } from './message-actions.tsx'
import './message.css'
import { UserMessage } from './user-message.tsx'

function AnswerMessage({
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
  const isReadOnly = useReadOnly(useSession((state) => state.sessionId)) !== undefined
  // A reader gets no new answers, nor does the answer of a sub-agent.
  const isFixed = isOfAgent || isReadOnly
  const text = messageText(message)
  // Its card has a button to try again.
  const hasFailed = message.metadata?.error !== undefined
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
          {!hasFailed && !isFixed && (
            <IconButton
              label={busy ? t.chat.regenerateWhenDone : t.chat.regenerate}
              disabled={busy}
              onClick={() => void regenerate(message.id)}
            >
              <RotateCw />
            </IconButton>
          )}
          {!isFixed && (
            <RegenerateWith
              messageId={message.id}
              current={message.metadata?.model}
              disabled={busy}
              isAlone={hasFailed}
            />
          )}
          {!isFixed && !(hasFailed && text === '') && (
            <FeedbackButtons messageId={message.id} feedback={message.metadata?.feedback} />
          )}
          <MessageComments messageId={message.id} part="CommentButton" />
          <MessageMenu message={message} />
          <BranchArrows place={place} />
          <AnswerFacts metadata={message.metadata} />
        </MessageActions>
      )}
      <MessageComments messageId={message.id} part="CommentThread" />
    </article>
  )
}

function AnswerFacts({ metadata }: { metadata: Metadata | undefined }) {
  const [now] = useState(Date.now)
  if (metadata === undefined) return null
  const { model, elapsedMs, createdAt } = metadata
  const { tokens, cost } = totalUsage(metadata)
  const price = cost !== undefined && cost > 0 ? priceInWords(cost, metadata) : undefined
  const words = tokensInWords(metadata)
  const time = isLong(elapsedMs) ? formatDuration(elapsedMs) : undefined
  return (
    <div className="facts">
      {model !== undefined && <span className="facts-model">{model}</span>}
      {tokens !== undefined && (
        <span className="facts-tokens" title={words} aria-label={words}>
          {t.chat.tokens(formatCount(tokens))}
        </span>
      )}
      {price !== undefined && (
        <span className="facts-price" title={price} aria-label={price}>
          {formatCost(cost ?? 0)}
        </span>
      )}
      {time !== undefined && (
        <span title={createdAt === undefined ? undefined : t.chat.tookAndStarted(time, formatMoment(createdAt, now))}>
          {time}
        </span>
      )}
    </div>
  )
}

function priceInWords(price: number, { cost = 0, subAgents }: Metadata): string {
  if (subAgents?.cost === undefined) return t.chat.price(formatCost(price))
  return t.chat.priceWithAgents(formatCost(price), formatCost(cost), formatCost(subAgents.cost))
}

function tokensInWords({ usage, subAgents }: Metadata): string {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return [
    t.chat.tokensReadAndWritten(formatCount(inputTokens), formatCount(outputTokens)),
    ...(cachedInputTokens > 0 ? [t.chat.tokensCached(formatCount(cachedInputTokens))] : []),
    ...(reasoningTokens > 0 ? [t.chat.tokensReasoning(formatCount(reasoningTokens))] : []),
    ...(subAgents === undefined ? [] : [t.chat.tokensOfAgents(formatCount(subAgents.tokens))]),
  ].join(', ')
}

const ModelChoice = lazy(() => import('./model-choice.tsx').then((module) => ({ default: module.ModelChoice })))

interface RegenerateWithProps {
  messageId: string
  current: string | undefined
  disabled: boolean
  /** True without a button to regenerate next to it. */
  isAlone: boolean
}

function RegenerateWith({ messageId, current, disabled, isAlone }: RegenerateWithProps) {
  return (
    <OnDemand
      button={
        <button
          type="button"
          className={isAlone ? 'icon-button regenerate-with regenerate-alone' : 'icon-button regenerate-with'}
          aria-label={t.chat.regenerateWith}
          title={t.chat.regenerateWith}
          disabled={disabled}
        >
          {isAlone && <RotateCw />}
          <ChevronDown />
        </button>
      }
    >
      {(button, onClosed) => (
        <ModelChoice messageId={messageId} current={current} button={button} onClosed={onClosed} />
      )}
    </OnDemand>
  )
}

export const Message = memo(function Message({
  message,
  place,
  last,
}: {
  message: VisibleMessage
  place: SiblingPlace | undefined
  last: boolean
}) {
  return message.role === 'user' ? (
    <UserMessage message={message} place={place} />
  ) : (
    <AnswerMessage message={message} place={place} last={last} />
  )
})

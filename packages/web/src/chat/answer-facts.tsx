import type { Metadata } from '@troupe/core/protocol'
import { useState } from 'react'
import { t } from '../texts/t.ts'
import { formatCost, formatCount, formatDuration, formatMoment } from '../ui/format.ts'

/** Which model it was, how many tokens it took, what it cost and how long it lasted. */
export function AnswerFacts({ metadata }: { metadata: Metadata | undefined }) {
  const [now] = useState(Date.now)
  if (metadata === undefined) return null
  const { model, usage, cost, elapsedMs, createdAt } = metadata
  const tokens = usage && tokensInWords(usage)
  const time = elapsedMs === undefined ? undefined : formatDuration(elapsedMs)
  return (
    <div className="facts">
      {model !== undefined && <span className="facts-model">{model}</span>}
      {usage !== undefined && (
        <span title={tokens} aria-label={tokens}>
          {t.chat.tokens(formatCount(usage.totalTokens))}
        </span>
      )}
      {cost !== undefined && cost > 0 && (
        <span
          className="facts-price"
          title={t.chat.price(formatCost(cost))}
          aria-label={t.chat.price(formatCost(cost))}
        >
          {formatCost(cost)}
        </span>
      )}
      {time !== undefined && (
        <span title={createdAt === undefined ? undefined : t.chat.tookAndEnded(time, formatMoment(createdAt, now))}>
          {time}
        </span>
      )}
    </div>
  )
}

function tokensInWords({
  inputTokens,
  outputTokens,
  cachedInputTokens = 0,
  reasoningTokens = 0,
}: NonNullable<Metadata['usage']>): string {
  return [
    t.chat.tokensReadAndWritten(formatCount(inputTokens), formatCount(outputTokens)),
    ...(cachedInputTokens > 0 ? [t.chat.tokensCached(formatCount(cachedInputTokens))] : []),
    ...(reasoningTokens > 0 ? [t.chat.tokensReasoning(formatCount(reasoningTokens))] : []),
  ].join(', ')
}

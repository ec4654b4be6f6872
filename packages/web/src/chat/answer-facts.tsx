import { totalUsage, type Metadata } from '@troupe/core/protocol'
import { useState } from 'react'
import { t } from '../texts/t.ts'
import { formatCost, formatCount, formatDuration, formatMoment } from '../ui/format.ts'

/** Which model it was, how many tokens it took, what it cost and how long it lasted, sub-agents included. */
export function AnswerFacts({ metadata }: { metadata: Metadata | undefined }) {
  const [now] = useState(Date.now)
  if (metadata === undefined) return null
  const { model, elapsedMs, createdAt } = metadata
  const { tokens, cost } = totalUsage(metadata)
  const price = cost !== undefined && cost > 0 ? priceInWords(cost, metadata) : undefined
  const words = tokensInWords(metadata)
  const time = elapsedMs === undefined ? undefined : formatDuration(elapsedMs)
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
        <span title={createdAt === undefined ? undefined : t.chat.tookAndEnded(time, formatMoment(createdAt, now))}>
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

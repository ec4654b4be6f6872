import type { Metadata } from '@troupe/core/protocol'
import { formatCount, formatDuration } from '../ui/format.ts'

/** Which model it was, how many tokens and how much time it took. */
export function AnswerFacts({ metadata }: { metadata: Metadata | undefined }) {
  if (metadata === undefined) return null
  const { model, usage, elapsedMs } = metadata
  const tokens = usage && `${formatCount(usage.inputTokens)} tokens read, ${formatCount(usage.outputTokens)} written`
  return (
    <div className="facts">
      {model !== undefined && <span className="facts-model">{model}</span>}
      {usage !== undefined && (
        <span title={tokens} aria-label={tokens}>
          {formatCount(usage.totalTokens)} tokens
        </span>
      )}
      {elapsedMs !== undefined && <span>{formatDuration(elapsedMs)}</span>}
    </div>
  )
}

import { type Metadata, totalUsage } from '@troupe/protocol'
import { formatCost, formatCount, formatDuration } from '../../texts/format.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'

export function ColumnDetails({ model, metadata = {} }: { model: string; metadata: Metadata | undefined }) {
  const { tokens, cost } = totalUsage(metadata)
  const { elapsedMs } = metadata
  return (
    <details className="column-details">
      <summary>{t.columnView.details}</summary>
      <dl>
        <dt>{t.columnView.model}</dt>
        <dd>
          <bdi>{metadata.model ?? model}</bdi>
        </dd>
        {elapsedMs !== undefined && (
          <>
            <dt>{t.columnView.time}</dt>
            <dd>{formatDuration(elapsedMs)}</dd>
          </>
        )}
        {tokens !== undefined && (
          <>
            <dt>{t.columnView.tokens}</dt>
            <dd>{formatCount(tokens)}</dd>
          </>
        )}
        {cost !== undefined && cost > 0 && (
          <>
            <dt>{t.columnView.cost}</dt>
            <dd>{formatCost(cost)}</dd>
          </>
        )}
      </dl>
    </details>
  )
}

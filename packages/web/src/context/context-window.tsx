import type { ContextInfo } from '../api/context-info.ts'
import { formatCost, formatCount, formatShare } from '../ui/format.ts'
import { kindsIn } from './kinds-in.ts'

/** How full the model's window is, and of what. */
export function ContextWindow({ info }: { info: ContextInfo }) {
  const { model, window, total, pieces } = info
  const kinds = kindsIn(pieces)
  const whole = Math.max(window ?? 0, total.tokens)
  const isOver = window !== null && total.tokens > window
  return (
    <section className="window" aria-label="The window">
      <p className="window-sum">
        <strong>
          {formatCount(total.tokens)}
          {window === null ? ' tokens' : ` of ${formatCount(window)} tokens`}
        </strong>
        <span>
          {window !== null && `${formatShare(total.tokens, window)} · `}
          {total.cost !== undefined && `${formatCost(total.cost)} · `}
          {model}
        </span>
      </p>
      <div className="window-bar" aria-hidden>
        {kinds.map(({ kind, tokens }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(100 * tokens) / whole}%` }} />
        ))}
      </div>
      <ul className="window-kinds">
        {kinds.map(({ kind, label, count, tokens }) => (
          <li key={kind}>
            <i data-kind={kind} aria-hidden />
            <span>
              {label}
              {kind !== 'summary' && ` (${count})`}
            </span>
            <b>{formatCount(tokens)}</b>
            <span>{formatShare(tokens, whole)}</span>
          </li>
        ))}
        {window !== null && !isOver && (
          <li>
            <i aria-hidden />
            <span>Free</span>
            <b>{formatCount(window - total.tokens)}</b>
            <span>{formatShare(window - total.tokens, window)}</span>
          </li>
        )}
      </ul>
      {window === null && (
        <p className="context-note">How much this model takes is not known, so nothing is compacted.</p>
      )}
      {isOver && (
        <p className="context-failure">
          This is more than the model takes: older parts are summarised before the call.
        </p>
      )}
    </section>
  )
}

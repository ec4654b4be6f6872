import type { ContextInfo } from '../api/context-info.ts'
import { t } from '../texts/t.ts'
import { formatCost, formatCount, formatPercent } from '../ui/format.ts'
import { sumByKind } from './kinds-in.ts'

/** How full the model's window is, and of what. */
export function ContextWindow({ info }: { info: ContextInfo }) {
  const { model, window, total, pieces } = info
  const kinds = sumByKind(pieces)
  const whole = Math.max(window ?? 0, total.tokens)
  const isOver = window !== null && total.tokens > window
  return (
    <section className="window" aria-label={t.context.window}>
      <p className="window-sum">
        <strong>
          {window === null
            ? t.context.tokens(formatCount(total.tokens))
            : t.context.tokensOf(formatCount(total.tokens), formatCount(window))}
        </strong>
        <span>
          {window !== null && `${formatPercent(total.tokens, window)} · `}
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
            <span>{formatPercent(tokens, whole)}</span>
          </li>
        ))}
        {window !== null && !isOver && (
          <li>
            <i aria-hidden />
            <span>{t.context.free}</span>
            <b>{formatCount(window - total.tokens)}</b>
            <span>{formatPercent(window - total.tokens, window)}</span>
          </li>
        )}
      </ul>
      {window === null && <p className="context-note">{t.context.windowUnknown}</p>}
      {isOver && <p className="context-failure">{t.context.tooMuch}</p>}
    </section>
  )
}

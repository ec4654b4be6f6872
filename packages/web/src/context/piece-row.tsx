import type { ContextPiece } from '../api/context-info.ts'
import { t } from '../texts/t.ts'
import { formatCost, formatNumber } from '../ui/format.ts'
import { VisibleText } from '../ui/visible-text.tsx'

export interface PieceRowProps {
  piece: ContextPiece
  title: string
  /** Of the largest, to compare by eye. */
  share: number
  onGoTo: (messageId: string) => void
}

export function PieceRow({ piece, title, share, onGoTo }: PieceRowProps) {
  const { kind, tokens, cost, messageId, changed } = piece
  const facts = (
    <>
      <i data-kind={kind} aria-hidden />
      <span className="visually-hidden">{t.context.kind[kind]}: </span>
      <span className="piece-title" data-kind={kind}>
        <VisibleText text={title} as="name" />
        {changed === true && <em>{t.context.changed}</em>}
      </span>
      <span className="piece-bar" aria-hidden>
        <span data-kind={kind} style={{ width: `${100 * share}%` }} />
      </span>
      <span className="piece-tokens">
        {formatNumber(tokens)}
        <span className="visually-hidden"> {t.context.tokensWord}</span>
      </span>
      <span className="piece-cost">{cost !== undefined && formatCost(cost)}</span>
    </>
  )
  return (
    <li>
      {messageId === undefined ? (
        <div className="piece">{facts}</div>
      ) : (
        <button type="button" className="piece" title={t.context.goTo} onClick={() => onGoTo(messageId)}>
          {facts}
        </button>
      )}
    </li>
  )
}

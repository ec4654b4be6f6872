import type { StoredMessage } from '@troupe/core/protocol'
import { useState } from 'react'
import type { ContextPiece, PieceKind } from '../api/context-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import { PieceRow } from './piece-row.tsx'
import { pieceTitle } from './piece-title.ts'

const shownAtOnce = 100
const orders = ['largest', 'told'] as const
const kinds = ['all', 'tool', 'instructions', 'summary', 'message'] as const

export interface ContextPiecesProps {
  pieces: readonly ContextPiece[]
  /** Those that the page has, to name answers by. */
  messages: readonly StoredMessage[]
  onGoTo: (messageId: string) => void
}

/** Every piece with what it costs; messages lead to where they are said. */
export function ContextPieces({ pieces, messages, onGoTo }: ContextPiecesProps) {
  const [order, setOrder] = useState<(typeof orders)[number]>('largest')
  const [kind, setKind] = useState<PieceKind | 'all'>('all')
  const [most, setMost] = useState(shownAtOnce)
  const known = new Map(messages.map((message) => [message.id, message]))
  const chosen = kind === 'all' ? pieces : pieces.filter((piece) => piece.kind === kind)
  const sorted = order === 'told' ? chosen : chosen.toSorted((a, b) => b.tokens - a.tokens)
  const largest = Math.max(1, ...chosen.map(({ tokens }) => tokens))
  return (
    <section className="pieces" aria-label={t.context.pieces}>
      <div className="pieces-head">
        <select
          aria-label={t.context.whichPieces}
          value={kind}
          onChange={(event) => setKind(event.target.value as typeof kind)}
        >
          {kinds
            .filter((value) => value === 'all' || pieces.some((piece) => piece.kind === value))
            .map((value) => (
              <option key={value} value={value}>
                {t.context.kinds[value]}
              </option>
            ))}
        </select>
        <Segments
          label={t.context.order}
          options={orders.map((value) => ({ value, label: t.context.orders[value] }))}
          value={order}
          onChange={setOrder}
        />
      </div>
      <ul>
        {sorted.slice(0, most).map((piece) => (
          <PieceRow
            key={`${piece.kind} ${piece.messageId ?? piece.name}`}
            piece={piece}
            title={pieceTitle(piece, known.get(piece.messageId ?? ''))}
            share={piece.tokens / largest}
            onGoTo={onGoTo}
          />
        ))}
      </ul>
      {sorted.length > most && (
        <Button kind="quiet" onClick={() => setMost(most + shownAtOnce)}>
          {t.context.showMore(Math.min(shownAtOnce, sorted.length - most), sorted.length - most)}
        </Button>
      )}
    </section>
  )
}

import type { StoredMessage } from '@troupe/protocol'
import { useState } from 'react'
import type { ContextPiece, PieceKind } from '../api/session-types.ts'
import { messageText } from '../chat/session/session-state.ts'
import { formatCost, formatNumber } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { stripMarkdown } from '../ui/strip-markdown.ts'

const shownAtOnce = 100
const orders = ['largest', 'request'] as const
const kinds = ['all', 'tool', 'instructions', 'summary', 'message'] as const

interface ContextPiecesProps {
  pieces: readonly ContextPiece[]
  /** Loaded messages, used to title answers. */
  messages: readonly StoredMessage[]
  onGoTo: (messageId: string) => void
}

export function ContextPieces({ pieces, messages, onGoTo }: ContextPiecesProps) {
  const [order, setOrder] = useState<(typeof orders)[number]>('largest')
  const [kind, setKind] = useState<PieceKind | 'all'>('all')
  const [most, setMost] = useState(shownAtOnce)
  const known = new Map(messages.map((message) => [message.id, message]))
  const chosen = kind === 'all' ? pieces : pieces.filter((piece) => piece.kind === kind)
  const sorted = order === 'request' ? chosen : chosen.toSorted((a, b) => b.tokens - a.tokens)
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

interface PieceRowProps {
  piece: ContextPiece
  title: string
  share: number
  onGoTo: (messageId: string) => void
}

function PieceRow({ piece, title, share, onGoTo }: PieceRowProps) {
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

const longest = 90

/** Returns the title of a piece. Answers use their first words, if loaded. */
export function pieceTitle(piece: ContextPiece, message: Pick<StoredMessage, 'parts'> | undefined): string {
  const { kind, name } = piece
  if (kind === 'summary') return t.context.summaryOfOlder
  if (kind === 'instructions') return instructionsTitle(name)
  if (kind === 'tool') return name
  if (name.startsWith('user')) return `${t.context.you}${name.slice('user'.length)}`
  if (!name.startsWith('assistant')) return name
  const start = stripMarkdown(messageText(message).slice(0, 4 * longest)).replaceAll(/\s+/g, ' ')
  if (start === '') return t.context.answer
  return `${t.context.answer}: ${start.length > longest ? `${start.slice(0, longest).toWellFormed()}…` : start}`
}

function instructionsTitle(name: string): string {
  if (name.startsWith('notes ')) return t.context.instructionsFrom(name.slice('notes '.length))
  const title = translateServerText(name, 'text')
  return title.charAt(0).toUpperCase() + title.slice(1)
}

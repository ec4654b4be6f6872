import type { TreeMessage } from '@troupe/core'
import { Columns2, CornerDownRight, GitMerge, LocateFixed, Scissors } from 'lucide-react'
import { memo, useState } from 'react'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import type { Panels } from '../state/panels.ts'
import { formatCost, formatCount } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { stripMarkdown } from '../ui/strip-markdown.ts'
import { useMerge } from './branch-data.ts'
import { type MapRow, newestLeaf, pathToMessage, type TreeIndex } from './branch-tree.ts'

export const rowHeight = 34
const laneWidth = 18
const middle = rowHeight / 2

const mostLanes = 24

interface MapRowViewProps {
  id: string
  row: MapRow
  top: number
  isMarked: boolean
  onMark: () => void
  onTake: () => void
}

/* oxlint-disable jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus --
   the tree that holds it has the focus and hears the keys (aria-activedescendant) */

export const MapRowView = memo(function MapRowView({ id, row, top, isMarked, onMark, onTake }: MapRowViewProps) {
  const { message, hidden, isOnBranch, lane } = row
  const role = roleName(message.role)
  const words = stripMarkdown(message.text)
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={lane + 1}
      aria-selected={isMarked}
      aria-expanded={hidden > 0 ? false : undefined}
      aria-label={hidden > 0 ? t.branches.show(hidden) : rowLabel(row)}
      title={hidden > 0 ? t.branches.show(hidden) : `${role}: ${words}`}
      className="map-row"
      data-branch={isOnBranch}
      style={{ top, height: rowHeight }}
      onClick={hidden > 0 ? onTake : onMark}
      onDoubleClick={onTake}
    >
      <Picture row={row} />
      {hidden > 0 ? (
        <span className="map-hidden">{t.branches.hidden(hidden)}</span>
      ) : (
        <span className="map-text" data-role={message.role}>
          {words === '' ? t.branches.noText : <VisibleText text={words} as="name" />}
        </span>
      )}
      {message.ending !== undefined && hidden === 0 && (
        <span className="map-ending" data-ending={message.ending}>
          {message.ending === 'failed' ? t.branches.failed : t.branches.stopped}
        </span>
      )}
    </div>
  )
})

function Picture({ row: { lane, from, continues, hidden, message, isOnBranch, isNextToBranch } }: { row: MapRow }) {
  const shownLane = Math.min(lane, mostLanes)
  const x = (place: number) => place * laneWidth + laneWidth / 2 + 2
  const own = x(shownLane)
  const left = x(shownLane - 1)
  return (
    <svg
      className="map-picture"
      width={(shownLane + 1) * laneWidth + 6}
      height={rowHeight}
      aria-hidden
      data-branch={isOnBranch}
    >
      {Array.from({ length: shownLane }, (_, place) => (
        <line
          key={place}
          className={place === 0 && isNextToBranch ? 'map-line map-passing' : 'map-line'}
          x1={x(place)}
          x2={x(place)}
          y1={0}
          y2={rowHeight}
        />
      ))}
      {from === 'above' && <line className="map-line map-own" x1={own} x2={own} y1={0} y2={middle} />}
      {from === 'left' && (
        <path
          className="map-line map-own"
          d={`M ${left} 0 C ${left} ${middle}, ${left + 4} ${middle}, ${own} ${middle}`}
        />
      )}
      {continues && <line className="map-line map-own" x1={own} x2={own} y1={middle} y2={rowHeight} />}
      {hidden > 0 ? (
        [-5, 0, 5].map((shift) => (
          <circle key={shift} className="map-dot map-fold" cx={own} cy={middle + shift} r={1.6} />
        ))
      ) : message.role === 'user' ? (
        <circle className="map-dot map-user" cx={own} cy={middle} r={5} />
      ) : (
        <rect className="map-dot map-answer" x={own - 4.5} y={middle - 4.5} width={9} height={9} rx={2.5} />
      )}
    </svg>
  )
}

export function roleName(role: string): string {
  if (role === 'user') return t.branches.you
  return role === 'assistant' ? t.branches.answer : t.branches.system
}

function rowLabel({ message, isOnBranch }: MapRow): string {
  const text = stripMarkdown(message.text) || t.branches.noText
  const ending =
    message.ending === undefined ? '' : `, ${message.ending === 'failed' ? t.branches.failed : t.branches.stopped}`
  return `${roleName(message.role)}: ${text}${ending}${isOnBranch ? `, ${t.branches.current}` : ''}`
}

interface SelectedMessageProps {
  tree: TreeIndex
  message: TreeMessage
  isOnBranch: boolean
  onGo: () => void
}

export function SelectedMessage({ tree, message, isOnBranch, onGo }: SelectedMessageProps) {
  const { panels, keepOnly } = useSessionStore()
  const current = useSession((state) => state.messages.at(-1)?.id)
  const busy = useSession((state) => state.run !== null)
  const merge = useMerge()
  const [asking, setAsking] = useState(false)
  const leaf = newestLeaf(tree, message.id)
  const others = tree.messages.size - pathToMessage(tree, leaf).length
  const isOther = !isOnBranch && current !== undefined && leaf !== current
  return (
    <section className="map-marked" aria-label={roleName(message.role)}>
      <p className="map-marked-head">
        <strong>{roleName(message.role)}</strong>
        <Moment time={message.createdAt} />
        {message.model !== undefined && <span>{message.model}</span>}
        {message.tokens !== undefined && <span>{t.chat.tokens(formatCount(message.tokens))}</span>}
        {message.cost !== undefined && message.cost > 0 && <span>{formatCost(message.cost)}</span>}
      </p>
      <p className="map-marked-text">
        {message.text === '' ? t.branches.noText : <VisibleText text={stripMarkdown(message.text)} />}
      </p>
      <div className="map-marked-buttons">
        <Button onClick={onGo}>
          <LocateFixed aria-hidden />
          {t.branches.goToMessage}
        </Button>
        {isOther && (
          <>
            <Button onClick={() => openComparison(panels, current, leaf)}>
              <Columns2 aria-hidden />
              {t.branches.compare}
            </Button>
            <Button onClick={() => void merge({ tree, from: leaf, into: current })}>
              <GitMerge aria-hidden />
              {t.branches.merge}
            </Button>
          </>
        )}
        {others > 0 && (
          <Button disabled={busy} onClick={() => setAsking(true)}>
            <Scissors aria-hidden />
            {t.branches.keep}
          </Button>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          title={t.branches.keepTitle}
          confirm={t.branches.keep}
          onConfirm={() => void keepOnly(message.id)}
          onClose={() => setAsking(false)}
        >
          <p>{t.branches.keepText(others)}</p>
          <p className="map-kept">
            <CornerDownRight aria-hidden />
            <VisibleText text={stripMarkdown(tree.messages.get(leaf)?.text ?? '')} />
          </p>
        </ConfirmDialog>
      )}
    </section>
  )
}

function openComparison(panels: Panels, left: string, right: string): void {
  panels.open({ kind: 'compare', key: 'branches', title: t.branches.compareTitle, data: { left, right } })
}

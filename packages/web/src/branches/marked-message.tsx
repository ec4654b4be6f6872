import type { TreeMessage } from '@troupe/core'
import { Columns2, CornerDownRight, GitMerge, LocateFixed, Scissors } from 'lucide-react'
import { useState } from 'react'
import { useSession, useSessionStore } from '../chat/session-context.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { formatCost, formatCount } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { openComparison } from './open-comparison.ts'
import { roleName } from './map-row.tsx'
import { newestLeaf, pathToMessage, type TreeIndex } from './tree-index.ts'
import { useMerge } from './use-merge.ts'

export interface SelectedMessageProps {
  tree: TreeIndex
  message: TreeMessage
  isOnBranch: boolean
  onGo: () => void
}

/** The message that is marked in the map, and what can be done from there. */
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
          {t.branches.goThere}
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

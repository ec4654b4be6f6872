import type { ErrorInfo } from '@troupe/protocol'
import { CircleAlert, RotateCw, WifiOff } from 'lucide-react'
import { useState } from 'react'
import { formatMoment } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useApp } from '../../workspace/workspace.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { isRunOnBranch } from '../session/session-state.ts'
import './error-card.css'

export function ErrorCard({
  error,
  onRetry,
  children,
}: {
  error: ErrorInfo
  onRetry?: () => void
  children?: React.ReactNode
}) {
  return (
    <div className="error-card" role="alert">
      <CircleAlert aria-hidden />
      <div>
        <p className="error-message" title={error.name}>
          <VisibleText text={translateServerText(error.message, 'text')} />
        </p>
      </div>
      <div className="error-actions">
        {children}
        {onRetry !== undefined && (
          <Button onClick={onRetry}>
            <RotateCw aria-hidden />
            {t.chat.tryAgain}
          </Button>
        )}
      </div>
    </div>
  )
}

export function ConnectionBar() {
  const { showBranch } = useSessionStore()
  const isAway = useApp((state) => state.isAway)
  const keptAt = useApp((state) => state.cachedAt)
  const [openedAt] = useState(Date.now)
  const gone = useSession((state) => state.phase === 'missing' && state.messages.length > 0)
  const lost = useSession((state) => state.connection === 'lost' && state.run !== null)
  const elsewhere = useSession((state) => state.run !== null && !isRunOnBranch(state))
  const parent = useSession((state) => state.run?.parentMessageId ?? null)
  if (isAway) {
    return (
      <output className="connection">
        <WifiOff aria-hidden />
        {keptAt === null ? t.chat.reconnecting : t.chat.reconnectingSince(formatMoment(keptAt, openedAt))}
      </output>
    )
  }
  if (gone) return <output className="connection">{t.chat.deletedElsewhere}</output>
  if (lost) {
    return (
      <output className="connection">
        <WifiOff aria-hidden />
        {t.chat.connectionLost}
      </output>
    )
  }
  if (!elsewhere || parent === null) return null
  return (
    <output className="connection">
      {t.chat.answerElsewhere}
      <button type="button" className="elsewhere" onClick={() => void showBranch(parent)}>
        {t.chat.showIt}
      </button>
    </output>
  )
}

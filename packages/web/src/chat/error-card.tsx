import { CircleAlert, RotateCw } from 'lucide-react'
import type { ErrorInfo } from '@troupe/core/protocol'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import './error-card.css'

/** What went wrong, in the words of whoever knows, and the way on. */
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
        <p className="error-message">
          <VisibleText text={translateServerText(error.message, 'text')} />
        </p>
        <p className="error-name">{error.name}</p>
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

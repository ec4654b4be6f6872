import { ChevronDown } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../texts/t.ts'
import { OnDemand } from '../ui/on-demand.tsx'

const ModelChoice = lazy(() => import('./model-choice.tsx').then((module) => ({ default: module.ModelChoice })))

interface RegenerateWithProps {
  messageId: string
  /** Whose answer it is. */
  current: string | undefined
  disabled: boolean
}

/** Another answer, from a model that is chosen for it. */
export function RegenerateWith({ messageId, current, disabled }: RegenerateWithProps) {
  return (
    <OnDemand
      button={
        <button
          type="button"
          className="icon-button regenerate-with"
          aria-label={t.chat.regenerateWith}
          title={t.chat.regenerateWith}
          disabled={disabled}
        >
          <ChevronDown />
        </button>
      }
    >
      {(button, onClosed) => (
        <ModelChoice messageId={messageId} current={current} button={button} onClosed={onClosed} />
      )}
    </OnDemand>
  )
}

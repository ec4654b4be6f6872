import { CircleStop, OctagonX, PlugZap, Scissors, ShieldX, StepForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatDuration } from '../ui/format.ts'
import { useWorkspace } from '../workspace.ts'
import { ErrorCard } from './error-card.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { messageText } from './session-state.ts'
import type { VisibleMessage } from './session-state.ts'

/** How an answer ended, where it did not end by itself; with the true reason, and the way on. */
export function AnswerMarks({ message, last }: { message: VisibleMessage; last: boolean }) {
  const { regenerate } = useSessionStore()
  const { app } = useWorkspace()
  const live = message.live === true
  // A sub-agent may have been stopped by the one that it works for.
  const stopWord = useSession((state) => (state.agentId === null ? t.chat.stoppedByYou : t.chat.stopped))
  const liveError = useSession((state) => (live ? state.run?.errorText : null))
  const canGoOn = useSession((state) => last && !live && state.run === null && state.agentId === null)
  const { aborted, interrupted, stopped, error, elapsedMs, stopMs, finishReason } = message.metadata ?? {}
  const shownError = error ?? (liveError == null ? undefined : { name: 'Error', message: liveError })
  const ended = error === undefined && aborted !== true && stopped === undefined
  const isCut = finishReason === 'length' && ended
  const isFiltered = finishReason === 'content-filter' && ended
  const goOn = canGoOn ? <ContinueButton messageId={message.id} /> : null
  return (
    <>
      {shownError !== undefined && (
        <ErrorCard error={shownError} {...(!live && { onRetry: () => void regenerate(message.id) })}>
          {!live && shownError.name === 'ProviderAuth' && (
            <Button kind="quiet" onClick={() => app.openSettings('models')}>
              {t.chat.checkKey}
            </Button>
          )}
          {messageText(message) !== '' && goOn}
        </ErrorCard>
      )}
      {aborted === true && (
        <Mark
          icon={<CircleStop />}
          action={goOn}
          title={stopMs === undefined ? undefined : t.chat.stopTook(formatDuration(stopMs))}
        >
          {elapsedMs === undefined ? stopWord : t.chat.after(stopWord, formatDuration(elapsedMs))}
        </Mark>
      )}
      {interrupted === true && (
        <Mark icon={<PlugZap />} action={goOn}>
          {t.chat.interrupted}
        </Mark>
      )}
      {stopped !== undefined && (
        <Mark icon={stopped.reason === 'denied' ? <ShieldX /> : <OctagonX />} action={goOn}>
          {stopped.message}
        </Mark>
      )}
      {isCut && (
        <Mark icon={<Scissors />} action={goOn}>
          {t.chat.cutByLength}
        </Mark>
      )}
      {isFiltered && (
        <Mark icon={<ShieldX />} action={null}>
          {t.chat.filtered}
        </Mark>
      )}
    </>
  )
}

function ContinueButton({ messageId }: { messageId: string }) {
  const { goOn } = useSessionStore()
  return (
    <Button kind="quiet" onClick={() => void goOn(messageId)}>
      <StepForward aria-hidden />
      {t.chat.goOn}
    </Button>
  )
}

interface MarkProps {
  icon: ReactNode
  action: ReactNode
  title?: string | undefined
  children: ReactNode
}

function Mark({ icon, action, title, children }: MarkProps) {
  return (
    <div className="mark">
      {icon}
      <span title={title}>{children}</span>
      {action}
    </div>
  )
}

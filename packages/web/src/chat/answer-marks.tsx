import { CircleStop, OctagonX, PlugZap, ShieldX } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDuration } from '../ui/format.ts'
import { ErrorCard } from './error-card.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import type { VisibleMessage } from './session-state.ts'

/** How an answer ended, where it did not end by itself; with the true reason. */
export function AnswerMarks({ message }: { message: VisibleMessage }) {
  const { regenerate } = useSessionStore()
  const live = message.live === true
  // A sub-agent may have been stopped by the one that it works for.
  const stopWord = useSession((state) => (state.agentId === null ? 'Stopped by you' : 'Stopped'))
  const liveError = useSession((state) => (live ? state.run?.errorText : null))
  const { aborted, interrupted, stopped, error, elapsedMs } = message.metadata ?? {}
  const shownError = error ?? (liveError == null ? undefined : { name: 'Error', message: liveError })
  return (
    <>
      {shownError !== undefined && (
        <ErrorCard error={shownError} {...(!live && { onRetry: () => void regenerate(message.id) })} />
      )}
      {aborted === true && (
        <Mark icon={<CircleStop />}>
          {elapsedMs === undefined ? stopWord : `${stopWord} after ${formatDuration(elapsedMs)}`}
        </Mark>
      )}
      {interrupted === true && (
        <Mark icon={<PlugZap />}>Interrupted: the program ended while this answer was being written</Mark>
      )}
      {stopped !== undefined && (
        <Mark icon={stopped.reason === 'denied' ? <ShieldX /> : <OctagonX />}>{stopped.message}</Mark>
      )}
    </>
  )
}

function Mark({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="mark">
      {icon}
      <span>{children}</span>
    </p>
  )
}

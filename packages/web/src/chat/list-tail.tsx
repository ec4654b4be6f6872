import { CornerDownRight } from 'lucide-react'
import { t } from '../texts/t.ts'
import { ErrorCard } from './error-card.tsx'
import { useSession, useSessionStore } from './session-context.ts'
import { isRunOnBranch, isWaiting, messageText } from './session-state.ts'
import type { SessionState } from './session-state.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { Button } from '../ui/button.tsx'
import { formatDuration } from '../ui/format.ts'

/** What stands below the last message: that somebody is at work, what waits to be said, what was not sent. */
export function ListTail() {
  const run = useSession((state) => state.run)
  const inSight = useSession(isRunOnBranch)
  const unsent = useSession((state) => state.unsent)
  const message = useSession((state) => state.messages.find(({ id }) => id === state.unsent?.messageId))
  const gone = useSession((state) => state.phase === 'missing')
  const stalled = useSession((state) => state.connection === 'lost')
  const isAway = useApp((state) => state.isAway)
  const unanswered = useSession(findUnanswered)
  const { retryUnsent, takeBackUnsent, setDraft, regenerate } = useSessionStore()
  const { sendAsNew } = useWorkspace()
  return (
    <div className="message tail">
      {run !== null && inSight && !isWaiting(run) && run.errorText === null && !stalled && !isAway && (
        <p className="working">
          <span className="working-dots" aria-hidden>
            <i />
            <i />
            <i />
          </span>
          <span className={run.retry === null ? 'visually-hidden' : undefined}>
            {run.retry === null
              ? t.chat.beingWritten
              : t.chat.tryingAgain(run.retry.message, formatDuration(run.retry.delayMs))}
          </span>
        </p>
      )}
      {inSight &&
        run?.steering.map(({ id, text }) => (
          <div key={id} className="steering steering-pending">
            <CornerDownRight aria-hidden />
            <span>{text}</span>
            <span className="visually-hidden">{t.chat.waitsForStep}</span>
          </div>
        ))}
      {unanswered !== undefined && (
        <p className="tail-unanswered">
          {t.chat.unanswered}
          <Button onClick={() => void regenerate(unanswered)}>{t.chat.answerNow}</Button>
        </p>
      )}
      {unsent !== null && gone && (
        <ErrorCard error={{ name: unsent.error.name, message: t.chat.notSentDeleted }}>
          <Button
            onClick={() => {
              sendAsNew(messageText(message), message?.parts.filter((part) => part.type === 'file') ?? [])
              takeBackUnsent()
              setDraft('')
            }}
          >
            {t.chat.sendAsNew}
          </Button>
        </ErrorCard>
      )}
      {unsent !== null && !gone && (
        <ErrorCard error={unsent.error} onRetry={() => void retryUnsent()}>
          <Button kind="quiet" onClick={takeBackUnsent}>
            {t.chat.edit}
          </Button>
        </ErrorCard>
      )}
    </div>
  )
}

/** A message of the person at the end that nobody answers: its answer was deleted, or never came to be. */
function findUnanswered({ messages, run, unsent, phase, agentId }: SessionState): string | undefined {
  const last = messages.at(-1)
  const isIdle = run === null && unsent === null && phase === 'ready' && agentId === null
  return isIdle && last?.role === 'user' ? last.id : undefined
}

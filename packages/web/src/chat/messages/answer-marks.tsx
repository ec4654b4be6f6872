import { type Part, parseUrl } from '@troupe/protocol'
import { CircleStop, OctagonX, PlugZap, Scissors, ShieldX, StepForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDuration } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { useMay, useReadOnly, useTeam } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group, VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { messageText, type VisibleMessage } from '../session/session-state.ts'
import './answer-sources.css'
import { ErrorCard } from './error-card.tsx'

/** Shows why an answer ended early and offers to continue. */
export function AnswerMarks({ message, last }: { message: VisibleMessage; last: boolean }) {
  const { regenerate } = useSessionStore()
  const { app } = useWorkspace()
  const live = message.live === true
  const isReadOnly = useReadOnly(useSession((state) => state.sessionId)) !== undefined
  const isTeam = useTeam(({ page }) => page !== null)
  const mayManage = useMay('manage')
  // The parent agent may have stopped the sub-agent, or another person the answer.
  const isOwn = useSession((state) => state.agentId === null) && !isTeam
  const stopWord = isOwn ? t.chat.stoppedByYou : t.chat.stopped
  const liveError = useSession((state) => (live ? state.run?.errorText : null))
  const canGoOn = useSession((state) => last && !live && state.run === null && state.agentId === null)
  const { aborted, interrupted, stopped, error, elapsedMs, stopMs, finishReason } = message.metadata ?? {}
  const shownError = error ?? (liveError == null ? undefined : { name: 'Error', message: liveError })
  const ended = error === undefined && aborted !== true && stopped === undefined
  const isCut = finishReason === 'length' && ended
  const isFiltered = finishReason === 'content-filter' && ended
  const goOn = canGoOn && !isReadOnly ? <ContinueButton messageId={message.id} /> : null
  return (
    <>
      {shownError !== undefined && (
        <ErrorCard error={shownError} {...(!live && !isReadOnly && { onRetry: () => void regenerate(message.id) })}>
          {!live && shownError.name === 'ProviderAuth' && (
            <Button kind="quiet" onClick={() => app.openSettings('models')}>
              {t.chat.checkKey}
            </Button>
          )}
          {!live && shownError.name === 'BudgetExceeded' && mayManage && (
            <Button kind="primary" onClick={() => app.openSettings('usage/budget')}>
              {t.chat.raiseBudget}
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
          {translateServerText(stopped.message, 'text')}
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
      {t.chat.continue}
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

/** Sources of an answer. Shows a letter instead of a favicon, which would need a request. */
export function AnswerSources({ parts }: { parts: readonly Part[] }) {
  const sources = readSources(parts)
  if (sources.length === 0) return null
  return (
    <Group className="sources" label={t.chat.sources}>
      <h4>{t.chat.sources}</h4>
      <ol>
        {sources.map(({ key, title, place, url, letter }) => (
          <li key={key}>
            <span className="sources-letter" aria-hidden>
              {letter}
            </span>
            {url === undefined ? (
              <span className="sources-title">
                <VisibleText text={title} />
              </span>
            ) : (
              <a className="sources-title" href={url} target="_blank" rel="noopener noreferrer nofollow">
                <VisibleText text={title} />
              </a>
            )}
            {place !== undefined && <span className="sources-place">{place}</span>}
          </li>
        ))}
      </ol>
    </Group>
  )
}

interface AnswerSource {
  key: string
  title: string
  /** Host in its ASCII form, so that lookalike letters stand out. */
  place: string | undefined
  /** Undefined if the source is not a web page. */
  url: string | undefined
  letter: string
}

export function readSources(parts: readonly Part[]): AnswerSource[] {
  const sources = new Map<string, AnswerSource>()
  for (const part of parts) {
    if (part.type === 'source-url') {
      const page = pageOf(part.url)
      const place = page?.host.replace(/^www\./, '')
      const title = part.title?.trim() || place || part.url
      const key = page?.href ?? part.url
      if (!sources.has(key)) sources.set(key, { key, title, place, url: page?.href, letter: letterOf(place ?? title) })
    } else if (part.type === 'source-document') {
      const title = part.title.trim() || part.filename || part.mediaType
      sources.set(part.sourceId, {
        key: part.sourceId,
        title,
        place: part.filename,
        url: undefined,
        letter: letterOf(title),
      })
    }
  }
  return [...sources.values()]
}

function pageOf(url: string): URL | undefined {
  const page = parseUrl(url)
  return page !== undefined && /^https?:$/.test(page.protocol) && page.username === '' && page.password === ''
    ? page
    : undefined
}

function letterOf(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0].toUpperCase() ?? '?'
}

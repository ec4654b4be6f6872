import { ArrowDown, CornerDownRight } from 'lucide-react'
import {
  type ReactNode,
  startTransition,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { unreachable } from '../../api/request.ts'
import { formatDuration } from '../../texts/format.ts'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { afterPaint } from '../../ui/focus.ts'
import '../../ui/rows.css'
import { useStickToBottom, useVirtualList } from '../../ui/scrolling.ts'
import { useApp, useWorkspace } from '../../workspace/workspace.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import {
  isRunOnBranch,
  isWaiting,
  messageText,
  openComparison,
  type SessionState,
  type VisibleMessage,
  visibleMessages,
} from '../session/session-state.ts'
import { ErrorCard } from './error-card.tsx'
import { TailRenderedContext } from './message-actions.tsx'
import './message-list.css'
import { Message } from './message.tsx'
import { estimateHeight } from './read-message.ts'

/** Minimum height of the header and composer, in pixels. */
const besides = 120
/** Overscan in pixels on each side, once the end of the list has rendered. */
const buffer = 800

/** Virtual list of messages. Loads older pages as the user scrolls up. `columns` shows the answers of compared models. */
export function MessageList({ columns }: { columns?: ReactNode }) {
  const { loadOlder, arrived } = useSessionStore()
  const target = useSession((state) => state.target)
  const stored = useSession((state) => state.messages)
  const run = useSession((state) => state.run)
  const siblings = useSession((state) => state.siblings)
  const older = useSession((state) => state.older)
  const messages = useMemo(() => beforeColumns(visibleMessages({ messages: stored, run })), [stored, run])
  const isDrawn = useAfterPaint()
  const { scroller, stuck, onScroll, keepsEnd, toEnd, stick, unstick } = useStickToBottom()
  const ids = useMemo(() => messages.map(({ id }) => id), [messages])
  useNewQuestion(messages, run !== null, stick)
  const { list, from, to, room } = useVirtualList(ids, {
    scroller,
    guess: (index) => estimateHeight(messages[index] as VisibleMessage),
    begins: { at: 'end', height: window.innerHeight - besides },
    buffer: isDrawn ? buffer : 0,
    keepsEnd,
    toEnd,
    onScroll,
    onStartNear: () => void (isDrawn && loadOlder()),
    target,
    onTarget() {
      arrived()
      unstick()
    },
  })

  return (
    <TailRenderedContext value={isDrawn}>
      <div className="list">
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it is scrolled by keys */}
        <div
          className="list-scroller"
          ref={scroller}
          role="log"
          aria-live="off"
          aria-label={t.chat.conversation}
          tabIndex={0}
          onKeyDown={(event) => {
            // Jump without animation, because measuring rows would interrupt a smooth scroll.
            if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
            if (event.key !== 'Home' && event.key !== 'End') return
            event.preventDefault()
            if (event.key === 'End') return stick()
            unstick()
            event.currentTarget.scrollTop = 0
          }}
        >
          <div className="list-rows" ref={list} style={room}>
            {messages.slice(from, to).map((message, index) => (
              <div key={message.id} className="row">
                <Message message={message} place={siblings[message.id]} last={from + index === messages.length - 1} />
              </div>
            ))}
            {to === messages.length && <ListTail key="tail" columns={columns} />}
          </div>
        </div>
        {older.loading && <p className="list-older">{t.chat.loadingOlder}</p>}
        {!stuck && (
          <div className="list-down">
            <IconButton label={t.chat.jumpToLatest} onClick={stick}>
              <ArrowDown />
            </IconButton>
          </div>
        )}
      </div>
    </TailRenderedContext>
  )
}

/** The answers of compared models come after all messages, as columns. */
function beforeColumns(messages: VisibleMessage[]): VisibleMessage[] {
  const compared = openComparison(messages)?.question
  return compared === undefined ? messages : messages.slice(0, messages.findIndex(({ id }) => id === compared.id) + 1)
}

/** Scrolls to the end on a new user message, before the list scrolls to its target. */
function useNewQuestion(messages: VisibleMessage[], isRunning: boolean, stick: () => void): void {
  const last = useRef<string>(undefined)
  const lastUserId = messages.findLast((message) => message.role === 'user')?.id
  const onNew = useEffectEvent(() => {
    // On a branch switch, stay at the fork.
    const isOther = last.current !== undefined && messages.every(({ id }) => id !== last.current)
    if (isRunning || !isOther) stick()
  })
  useLayoutEffect(() => onNew(), [lastUserId])
  useLayoutEffect(() => {
    last.current = messages.at(-1)?.id
  }, [messages])
}

/**
 * Delays everything but the end of the list by two frames. After only one frame it would still compete with the first
 * paint.
 */
function useAfterPaint(): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    let callOff = afterPaint(() => {
      callOff = afterPaint(() => startTransition(() => setPainted(true)))
    })
    return () => callOff()
  }, [])
  return isPainted
}

function ListTail({ columns }: { columns: ReactNode }) {
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
  const isCompared = useSession((state) => openComparison(state.messages) !== undefined)
  const isLate = unsent?.error.name === unreachable && isAway && !gone
  const wasLate = useRef(false)
  const sendNow = useEffectEvent(() => unsent !== null && void retryUnsent())
  // The server knows the message's id, so it never answers one twice.
  useEffect(() => {
    if (wasLate.current && !isAway) sendNow()
    wasLate.current = isLate
  }, [isAway, isLate])
  return (
    <div className="tail">
      {isCompared && columns}
      <div className="message">
        {run !== null && !isCompared && inSight && !isWaiting(run) && run.errorText === null && !stalled && !isAway && (
          <p className="working">
            <span className="working-dots" aria-hidden>
              <i />
              <i />
              <i />
            </span>
            <span className={run.retry === null ? 'visually-hidden' : undefined}>
              {run.retry === null
                ? t.chat.writing
                : t.chat.tryingAgain(translateServerText(run.retry.message, 'text'), formatDuration(run.retry.delayMs))}
            </span>
          </p>
        )}
        {inSight &&
          run?.steering.map(({ id, text }) => (
            <div key={id} className="steering steering-pending">
              <CornerDownRight aria-hidden />
              <span>{text}</span>
              <span className="visually-hidden">{t.chat.sendsAtNextStep}</span>
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
          <ErrorCard
            error={isLate ? { ...unsent.error, message: t.chat.sendsLater } : unsent.error}
            onRetry={() => void retryUnsent()}
          >
            <Button kind="quiet" onClick={takeBackUnsent}>
              {t.chat.edit}
            </Button>
          </ErrorCard>
        )}
      </div>
    </div>
  )
}

/** Finds a trailing user message without an answer, because the answer was deleted or never started. */
function findUnanswered({ messages, run, unsent, phase, agentId }: SessionState): string | undefined {
  const last = messages.at(-1)
  const isIdle = run === null && unsent === null && phase === 'ready' && agentId === null
  const isCompared = openComparison(messages) !== undefined
  return isIdle && last?.role === 'user' && !isCompared ? last.id : undefined
}

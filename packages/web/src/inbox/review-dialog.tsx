import type { Answer } from '@troupe/core'
import { Bot, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { SessionContext } from '../chat/session/session-context.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { decideInReview, ignoreEarlyClick } from '../shortcuts/decide-ask.ts'
import { noticeError } from '../state/notices.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { findSession, type PageAsk as Ask } from '../workspace/app-state.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { ApprovalAsk } from './ask-card.tsx'
import { isClosed, planAnswer, type PlannedAnswer, subjectsOf } from './review-answers.ts'
import './review-dialog.css'

/**
 * Approvals of a chat, or of all chats, one after the other or all at once. The list holds what waited when it was
 * opened. What arrives later is added only when the user asks for it, so nothing unseen is allowed.
 */
export function ReviewDialog() {
  const workspace = useWorkspace()
  const { app } = workspace
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const storeOf = useHeldStores()
  const { asks, later, addLater } = useReviewedAsks(storeOf)
  const [chosen, setChosen] = useState<{ id: string; index: number }>()
  const [confirming, setConfirming] = useState<'allow' | 'deny' | null>(null)
  const [isSending, setSending] = useState(false)
  const index = Math.max(
    0,
    asks.findIndex(({ id }) => id === chosen?.id),
  )
  // The next one takes the place of one that was answered.
  const at = asks.some(({ id }) => id === chosen?.id) ? index : Math.min(chosen?.index ?? 0, asks.length - 1)
  const ask = asks[at]
  const store = ask === undefined ? undefined : storeOf(ask.sessionId)

  const focused = ask?.id
  useEffect(() => {
    if (focused !== undefined) list.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus()
  }, [focused])
  useEffect(() => {
    if (asks.length === 0 && later.length === 0) dialog.current?.close()
  }, [asks, later])

  const move = (by: number) => {
    const next = asks[Math.max(0, Math.min(at + by, asks.length - 1))]
    if (next !== undefined) setChosen({ id: next.id, index: asks.indexOf(next) })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey || (target as Element).closest('input, textarea, select, [role=menu]') !== null)
      return
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key]
    if (by === undefined) return decideInReview(event)
    event.preventDefault()
    setConfirming(null)
    move(by)
  }
  const answerAll = async (answers: readonly GivenAnswer[]) => {
    setSending(true)
    try {
      for (const { ask: given, answer } of answers) await answerOne(given, answer)
    } catch (error) {
      noticeError(error)
    } finally {
      setSending(false)
      setConfirming(null)
    }
  }
  const answerOne = async ({ id, sessionId }: Ask, answer: Answer) => {
    try {
      const { settled } = await workspace.api.answerAsk(id, answer)
      app.asksAnswered([id, ...settled])
    } catch (error) {
      if (!isClosed(error)) throw error
      app.asksAnswered([id])
    }
    workspace.announce(sessionId)
  }

  return (
    <Dialog ref={dialog} title={t.review.title(asks.length)} className="review" onClose={() => app.setDialog(null)}>
      <IconButton label={t.inbox.close} shortcut="Esc" className="review-close" onClick={() => dialog.current?.close()}>
        <X />
      </IconButton>
      {/* Keys of the list and of the card bubble here. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div className="review-body" onKeyDown={onKeyDown}>
        <div className="review-side">
          <ul ref={list} className="review-list" aria-label={t.review.list}>
            {asks.map((one, place) => (
              <li key={one.id}>
                <ReviewEntry
                  ask={one}
                  isCurrent={place === at}
                  onChoose={() => {
                    setConfirming(null)
                    setChosen({ id: one.id, index: place })
                  }}
                />
              </li>
            ))}
          </ul>
          {later.length > 0 && (
            <output className="review-later">
              {t.review.arrived(later.length)} <Button onClick={addLater}>{t.review.showThem}</Button>
            </output>
          )}
          {asks.length > 0 && (
            <div className="review-all">
              <Button disabled={isSending} onClick={() => setConfirming('allow')}>
                {t.review.allowAll}
              </Button>
              <Button disabled={isSending} onClick={() => setConfirming('deny')}>
                {t.review.denyAll}
              </Button>
              <p>{t.review.keys}</p>
            </div>
          )}
        </div>
        <div className="review-detail" onClickCapture={ignoreEarlyClick}>
          {confirming === null ? (
            ask !== undefined &&
            store !== undefined && (
              <SessionContext value={store}>
                <ApprovalAsk key={ask.id} ask={ask} />
              </SessionContext>
            )
          ) : (
            <Confirmation
              planned={asks.map((one) => planAnswer(one, storeOf(one.sessionId)))}
              isDenial={confirming === 'deny'}
              isSending={isSending}
              onAnswer={(answers) => void answerAll(answers)}
              onBack={() => setConfirming(null)}
            />
          )}
        </div>
      </div>
    </Dialog>
  )
}

interface GivenAnswer {
  ask: Ask
  answer: Answer
}

type StoreOf = (sessionId: string) => ChatSessionStore

/** Stores hold the choices made in their cards. The workspace keeps only those of a few chats. */
function useHeldStores(): StoreOf {
  const workspace = useWorkspace()
  const [held] = useState(() => new Map<string, ChatSessionStore>())
  const asks = useApp((state) => state.asks)
  return (sessionId) => {
    const folder = asks.find((ask) => ask.sessionId === sessionId)?.folder
    const { session } = folder == null ? workspace : workspace.folders.workspace(folder.id)
    const store = held.get(sessionId) ?? session(sessionId)
    held.set(sessionId, store)
    return store
  }
}

/** Splits open requests into those from before the dialog opened and later ones, each in the order of the chat. */
function useReviewedAsks(storeOf: StoreOf): { asks: Ask[]; later: Ask[]; addLater: () => void } {
  const sessionId = useApp((state) => state.reviewedSession)
  const all = useApp((state) => state.asks)
  const approvals = all.filter((ask) => ask.kind === 'approval' && (sessionId === null || ask.sessionId === sessionId))
  const open = sessionId === null ? approvals : inOrderOfCalls(approvals, storeOf(sessionId))
  const [known, setKnown] = useState(() => new Set(open.map(({ id }) => id)))
  return {
    asks: open.filter(({ id }) => known.has(id)),
    later: open.filter(({ id }) => !known.has(id)),
    addLater: () => setKnown(new Set(open.map(({ id }) => id))),
  }
}

/** Calls of a step ask as soon as each is checked, so a later one may be first. Those of sub-agents stay at the end. */
function inOrderOfCalls(asks: Ask[], store: ChatSessionStore): Ask[] {
  const parts = store.getState().run?.answer?.parts ?? []
  const ids = parts.map((part) => ('toolCallId' in part ? part.toolCallId : undefined))
  const place = ({ toolCallId }: Ask) => (ids.includes(toolCallId) ? ids.indexOf(toolCallId) : ids.length)
  return asks.toSorted((one, other) => place(one) - place(other))
}

function chatName({ sessionTitle, folder }: Ask, title = sessionTitle): string | undefined {
  return folder == null ? title : `${folder.name}: ${title ?? ''}`
}

function ReviewEntry({ ask, isCurrent, onChoose }: { ask: Ask; isCurrent: boolean; onChoose: () => void }) {
  const chat = useApp((state) =>
    state.reviewedSession === null ? chatName(ask, findSession(state, ask.sessionId)?.title) : undefined,
  )
  const [first, ...others] = subjectsOf(ask).flatMap((subject) => subject.trim().split('\n'))
  const subject = first === undefined || others.length === 0 ? first : `${first} …`
  const agent = ask.agentPath.slice(1).join(' › ')
  return (
    <button
      type="button"
      className="review-entry"
      aria-current={isCurrent}
      tabIndex={isCurrent ? 0 : -1}
      onClick={onChoose}
    >
      <b>
        <VisibleText text={translateServerText(ask.title, 'action', 'title')} as="name" />
      </b>
      {subject !== undefined && (
        <span dir="auto">
          <VisibleText text={subject} as="name" />
        </span>
      )}
      {agent !== '' && (
        <small>
          <Bot aria-hidden />
          <VisibleText text={agent} as="name" />
        </small>
      )}
      {chat !== undefined && (
        <small dir="auto">
          <VisibleText text={chat || t.inbox.untitled} as="name" />
        </small>
      )}
    </button>
  )
}

interface ConfirmationProps {
  planned: readonly PlannedAnswer[]
  isDenial: boolean
  isSending: boolean
  onAnswer: (answers: GivenAnswer[]) => void
  onBack: () => void
}

/** Spells out everything that the button answers, and answers nothing else. */
function Confirmation({ planned, isDenial, isSending, onAnswer, onBack }: ConfirmationProps) {
  // Fixed when the list was shown.
  const [shown] = useState(planned)
  const open = new Set(planned.map(({ ask }) => ask.id))
  const left = shown.filter(({ ask, answer }) => open.has(ask.id) && (isDenial || answer !== null))
  const count = left.length
  return (
    <section className="review-confirm" aria-label={isDenial ? t.review.denyThese(count) : t.review.allowThese(count)}>
      <h3>{isDenial ? t.review.denyThese(count) : t.review.allowThese(count)}</h3>
      <p>{isDenial ? t.review.denyNote : t.review.allowNote}</p>
      <ol>
        {left.map(({ ask, title, subjects, note }) => (
          <li key={ask.id}>
            <b>
              <VisibleText text={title} as="name" />
            </b>
            {subjects.map((subject) => (
              <code key={subject}>
                <VisibleText text={subject} as="exact" />
              </code>
            ))}
            {note !== undefined && !isDenial && <small>{note}</small>}
          </li>
        ))}
      </ol>
      <div className="review-buttons">
        <Button
          kind={isDenial ? 'danger' : 'primary'}
          disabled={isSending || count === 0}
          onClick={() =>
            onAnswer(
              left.map(({ ask, answer }) => ({ ask, answer: isDenial || answer === null ? { type: 'deny' } : answer })),
            )
          }
        >
          {isDenial ? t.review.deny(count) : t.review.allow(count)}
        </Button>
        <Button disabled={isSending} onClick={onBack}>
          {t.inbox.back}
        </Button>
      </div>
    </section>
  )
}

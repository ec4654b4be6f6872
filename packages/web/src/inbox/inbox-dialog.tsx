import type { DataParts } from '@troupe/protocol'
import { ArrowUpRight, Bot, Folder, X } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { OpenAsk } from '../chat/asks/open-ask.tsx'
import { SessionContext, useSession, useSessionStore } from '../chat/session/session-context.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { agentPanel } from '../chat/session/sub-agents.ts'
import '../texts/show-late.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Moment, VisibleText } from '../ui/elements.tsx'
import { findSession, type PageAsk as Ask } from '../workspace/app-state.ts'
import { useApp, useWorkspace, WorkspaceContext } from '../workspace/workspace.ts'
import { ApprovalAsk } from './ask-card.tsx'
import './inbox-dialog.css'
import { NotifyBlocked, NotifySwitch } from './notify-switch.tsx'

export function InboxDialog() {
  const { app } = useWorkspace()
  const asks = useApp((state) => state.asks)
  const turn = useApp((state) => state.dialogTurn)
  const dialog = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  useFocusedAsk(body, asks)
  useClickGuard(body, asks)
  const approvals = asks.filter(({ kind }) => kind === 'approval').length
  const groups = [...Map.groupBy(asks, ({ sessionId }) => sessionId)]
  return (
    <Dialog ref={dialog} title={t.inbox.title} className="inbox" turn={turn} onClose={() => app.setDialog(null)}>
      <div className="inbox-tools">
        {approvals > 1 && <Button onClick={() => app.review(null)}>{t.review.open(approvals)}</Button>}
        <NotifySwitch />
        <IconButton label={t.inbox.close} shortcut="Esc" onClick={() => dialog.current?.close()}>
          <X />
        </IconButton>
      </div>
      <div ref={body} className="inbox-body">
        <NotifyBlocked />
        {asks.length === 0 && (
          <p className="inbox-none" tabIndex={-1} data-ask="">
            {t.inbox.nothing}
          </p>
        )}
        {groups.map(([sessionId, members]) => (
          <SessionAsks key={sessionId} sessionId={sessionId} asks={members} onLeave={() => dialog.current?.close()} />
        ))}
      </div>
    </Dialog>
  )
}

function SessionAsks({ sessionId, asks, onLeave }: { sessionId: string; asks: Ask[]; onLeave: () => void }) {
  const { app, folders } = useWorkspace()
  const folder = asks[0]?.folder ?? null
  const title = useApp((state) => findSession(state, sessionId)?.title) || asks[0]?.sessionTitle || t.inbox.untitled
  return (
    <section className="inbox-session" aria-label={title}>
      <header className="inbox-session-head">
        <h3>
          <VisibleText text={title} as="name" />
          {folder !== null && (
            <small className="inbox-folder" title={folder.path}>
              <Folder aria-hidden />
              <VisibleText text={folder.name} as="name" />
            </small>
          )}
        </h3>
        <Button
          kind="quiet"
          aria-label={t.inbox.goTo(title)}
          onClick={() => {
            onLeave()
            if (folder === null) app.select(sessionId)
            else folders.show(folder.id, sessionId)
          }}
        >
          {t.inbox.goToChat}
          <ArrowUpRight aria-hidden />
        </Button>
      </header>
      {asks.map((ask) => (
        <AskEntry key={ask.id} ask={ask} onLeave={onLeave} />
      ))}
    </section>
  )
}

function AskEntry({ ask, onLeave }: { ask: Ask; onLeave: () => void }) {
  const here = useWorkspace()
  const workspace = ask.folder == null ? here : here.folders.workspace(ask.folder.id)
  const store = useMemo(() => workspace.session(ask.sessionId), [workspace, ask.sessionId])
  const subAgents = ask.agentPath.slice(1)
  return (
    <article className="inbox-ask" tabIndex={-1} data-ask={ask.id} aria-label={ask.title}>
      <p className="inbox-facts">
        {subAgents.length > 0 && <AskingAgent ask={ask} store={store} onLeave={onLeave} />}
        <Moment time={ask.createdAt} />
      </p>
      <WorkspaceContext value={workspace}>
        <SessionContext value={store}>
          {ask.kind === 'approval' || ask.kind === 'browser' ? <ApprovalAsk ask={ask} /> : <AskForm ask={ask} />}
        </SessionContext>
      </WorkspaceContext>
    </article>
  )
}

function AskingAgent({ ask, store, onLeave }: { ask: Ask; store: ChatSessionStore; onLeave: () => void }) {
  const { app, folders } = useWorkspace()
  const { agentId, agentPath, sessionId, folder } = ask
  const content = (
    <>
      <Bot aria-hidden />
      <VisibleText text={agentPath.slice(1).join(' › ')} as="name" />
    </>
  )
  if (agentId === undefined) return <span className="inbox-agent">{content}</span>
  return (
    <button
      type="button"
      className="inbox-agent"
      aria-label={t.inbox.showAgent(agentPath.at(-1) ?? '')}
      onClick={() => {
        onLeave()
        if (folder == null) app.select(sessionId)
        else folders.show(folder.id, sessionId)
        store.panels.open(agentPanel(store.agents, agentId))
      }}
    >
      {content}
    </button>
  )
}

function AskForm({ ask }: { ask: Ask }) {
  const store = useSessionStore()
  const sending = useSession((state) => state.answering.includes(ask.id))
  return (
    <OpenAsk ask={ask as DataParts['ask']} sending={sending} answer={(given) => void store.answer(ask.id, given)} />
  )
}

/** Keeps the focus in the list. When an answered ask disappears, its successor gets the focus. */
function useFocusedAsk(body: RefObject<HTMLElement | null>, asks: readonly Ask[]): void {
  const focused = useRef<{ id: string; index: number } | null>(null)
  useLayoutEffect(() => {
    const list = body.current
    const note = (event: FocusEvent) => {
      const id = (event.target as Element).closest<HTMLElement>('[data-ask]')?.dataset['ask']
      if (id === undefined) return
      focused.current = { id, index: entriesIn(list).findIndex((entry) => entry.dataset['ask'] === id) }
    }
    const forget = (event: FocusEvent) => {
      // The user moved the focus away. A removed or disabled control loses it without a related target.
      if (event.relatedTarget !== null && !list?.contains(event.relatedTarget as Node)) focused.current = null
    }
    list?.addEventListener('focusin', note)
    list?.addEventListener('focusout', forget)
    return () => {
      list?.removeEventListener('focusin', note)
      list?.removeEventListener('focusout', forget)
    }
  }, [body])
  useLayoutEffect(() => {
    const { current: before } = focused
    const entries = entriesIn(body.current)
    if (before === null || entries.some((entry) => entry.dataset['ask'] === before.id)) return
    entries[Math.min(before.index, entries.length - 1)]?.focus()
  }, [body, asks])
  // The dialog focuses its first button, and is open before its parent's effects run.
  useEffect(() => entriesIn(body.current)[0]?.focus(), [body])
}

function entriesIn(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-ask]') ?? [])]
}

const readingTime = 500

/** Ignores clicks right after the list changed, so nobody approves an entry that just moved under the pointer. */
function useClickGuard(body: RefObject<HTMLElement | null>, asks: readonly Ask[]): void {
  const changedAt = useRef<number | null>(null)
  const known = useRef(asks)
  useLayoutEffect(() => {
    if (known.current === asks) return
    known.current = asks
    changedAt.current = performance.now()
  }, [asks])
  useLayoutEffect(() => {
    const list = body.current
    const onClick = (event: MouseEvent) => {
      // Keyboard clicks have no pointer, and the focus was moved off the buttons.
      if (event.detail === 0 || changedAt.current === null) return
      if (performance.now() - changedAt.current > readingTime) return
      event.preventDefault()
      event.stopPropagation()
    }
    list?.addEventListener('click', onClick, true)
    return () => list?.removeEventListener('click', onClick, true)
  }, [body])
}

import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { Composer } from '../composer/composer.tsx'
import { SubAgentAsks } from '../composer/sub-agent-asks.tsx'
import { Find } from '../find/find.tsx'
import { decideInChat } from '../shortcuts/decide-ask.ts'
import { areSingleKeysEnabled } from '../shortcuts/shortcuts.ts'
import { Notices } from '../state/notices.tsx'
import { useReadOnly } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { useEnlargedImage } from '../ui/elements.tsx'
import { afterPaint } from '../ui/focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { announce } from './announce.ts'
import './chat.css'
import { EmptyChat, EmptyChatMore } from './empty-chat.tsx'
import { preloadRichParts } from './messages/answer-parts.tsx'
import { ConnectionBar, ErrorCard } from './messages/error-card.tsx'
import { MessageList } from './messages/message-list.tsx'
import { DisclosureContext, SessionContext, useSession, useSessionStore } from './session/session-context.ts'

const ImageViewer = lazy(() => import('../ui/image-viewer.tsx').then((module) => ({ default: module.ImageViewer })))

const Columns = lazy(() => import('./columns/columns.tsx').then((module) => ({ default: module.Columns })))

/** Remounts for each session, so no state leaks between sessions. */
export function Chat({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const disclosures = useMemo(() => new Map<string, boolean>(), [])
  const target = useApp((state) => state.target)
  useEffect(() => {
    const open = () => void store.open()
    // Shows cached state before loading more.
    const isKnown = store.getState().phase === 'ready'
    const callOff = isKnown ? afterPaint(open) : open()
    return () => {
      callOff?.()
      store.close()
    }
  }, [store])
  useEffect(() => {
    if (target !== null) void store.goTo(target.messageId)
  }, [store, target])
  return (
    <SessionContext value={store}>
      <DisclosureContext value={disclosures}>
        {/* Keys of the conversation bubble here. */}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
        <div
          className="chat"
          data-focus-home=".approval, .ask-open | .composer-box textarea | [role=log]"
          onKeyDown={(event) => areSingleKeysEnabled() && decideInChat(event)}
        >
          <ChatBody />
          <Find />
          <Notices />
          <ConnectionBar />
          <SubAgentAsks />
          <MessageBox sessionId={sessionId} />
          <EmptyChatMore />
          <Announcer />
          <Enlarged />
        </div>
      </DisclosureContext>
    </SessionContext>
  )
}

/** A person of a team who may only read gets the reason instead. */
function MessageBox({ sessionId }: { sessionId: string }) {
  const readOnly = useReadOnly(sessionId)
  return readOnly === undefined ? <Composer /> : <output className="chat-read-only">{readOnly}</output>
}

function Enlarged() {
  const { image } = useEnlargedImage()
  if (image === null) return null
  return (
    <Suspense fallback={null}>
      <ImageViewer image={image} />
    </Suspense>
  )
}

function ChatBody() {
  const store = useSessionStore()
  const phase = useSession((state) => state.phase)
  const failure = useSession((state) => state.failure)
  const empty = useSession((state) => state.messages.length === 0 && state.run === null)
  useEffect(() => (phase === 'loading' ? undefined : preloadRichParts()), [phase])
  if (failure !== null && empty) {
    return (
      <div className="chat-note">
        <ErrorCard error={failure} {...(phase === 'failed' && { onRetry: () => void store.open() })} />
      </div>
    )
  }
  if (phase === 'loading' && empty) return <div className="chat-note chat-loading">{t.chat.loading}</div>
  if (empty) return <EmptyChat />
  return (
    <MessageList
      columns={
        <Suspense>
          <Columns />
        </Suspense>
      }
    />
  )
}

function Announcer() {
  const store = useSessionStore()
  const [text, setText] = useState('')
  // Screen readers ignore unchanged text, so a trailing no-break space forces a repeat.
  useEffect(() => announce(store, (next) => setText((last) => (next === last ? `${next}\u00A0` : next))), [store])
  return (
    <output className="visually-hidden" aria-live="polite" data-testid="announcer">
      {text}
    </output>
  )
}

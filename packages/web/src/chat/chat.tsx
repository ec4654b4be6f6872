import { lazy, Suspense, useEffect, useMemo } from 'react'
import { t } from '../texts/t.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { Find } from '../find/find.tsx'
import { afterPaint } from '../ui/after-paint.ts'
import { useEnlargedImage } from '../ui/enlarged-image.ts'
import { Announcer } from './announcer.tsx'
import { Composer } from '../composer/composer.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { EmptyChat } from './empty-chat.tsx'
import { ErrorCard } from './error-card.tsx'
import { preloadRichParts } from './lazy-parts.tsx'
import { MessageList } from './message-list.tsx'
import { SessionContext, useSession, useSessionStore } from './session-context.ts'
import { DisclosureContext } from './use-disclosure.ts'
import './chat.css'

const ImageViewer = lazy(() => import('../ui/image-viewer.tsx').then((module) => ({ default: module.ImageViewer })))

/** One session. Mounted anew for each, so nothing of another can stay behind. */
export function Chat({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace()
  const store = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const disclosures = useMemo(() => new Map<string, boolean>(), [])
  const target = useApp((state) => state.target)
  useEffect(() => {
    const open = () => void store.open()
    // What is known of it is shown before more is asked for.
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
        <div className="chat" data-focus-home=".approval, .ask-open | .composer-box textarea | [role=log]">
          <ChatBody />
          <Find />
          <ConnectionBar />
          <Composer />
          <Announcer />
          <Enlarged />
        </div>
      </DisclosureContext>
    </SessionContext>
  )
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
  return empty ? <EmptyChat /> : <MessageList />
}

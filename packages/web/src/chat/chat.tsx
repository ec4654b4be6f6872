import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { exampleRequests, isDemoModel } from '../api/models.ts'
import { Composer } from '../composer/composer.tsx'
import { useBlocked } from '../composer/use-blocked.tsx'
import { Find } from '../find/find.tsx'
import { t } from '../texts/t.ts'
import { formatElements, Logo, useEnlargedImage } from '../ui/elements.tsx'
import { afterPaint } from '../ui/focus.ts'
import { useApp, useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import { announce } from './announce.ts'
import './chat.css'
import './empty-chat.css'
import { preloadRichParts } from './messages/answer-parts.tsx'
import { ConnectionBar, ErrorCard } from './messages/error-card.tsx'
import { MessageList } from './messages/message-list.tsx'
import { DisclosureContext, SessionContext, useSession, useSessionStore } from './session/session-context.ts'

const ImageViewer = lazy(() => import('../ui/image-viewer.tsx').then((module) => ({ default: module.ImageViewer })))

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

const shownExamples = 8
/** Shown only before the user's first message. The screen works without it. */
const FirstRun = lazy(() =>
  import('../first-run/first-run.tsx').then(
    (loaded) => ({ default: loaded.FirstRun }),
    () => ({ default: () => null }),
  ),
)

/** First screen of a session: a greeting, and example requests if the model has some. */
function EmptyChat() {
  const { app } = useWorkspace()
  const { send } = useSessionStore()
  const current = useCurrentModel()
  const model = useApp((state) => state.models.find(({ ref }) => ref === current))
  const isFirst = useApp((state) => (state.sessions.length === 0 || state.isFirstVisit) && state.modelsLoaded)
  const blocked = useBlocked() !== null
  const examples = exampleRequests(model, t.tag).slice(0, shownExamples)
  return (
    <div className="empty">
      <div className="empty-inner">
        <Logo />
        <h2>{t.emptyChat.title}</h2>
        {isDemoModel(current) && (
          <p className="empty-note">
            {formatElements(t.emptyChat.demo, {
              add: (
                <button type="button" className="empty-add" onClick={() => app.openSettings('models')}>
                  {t.emptyChat.addModel}
                </button>
              ),
            })}
          </p>
        )}
        {isFirst && (
          <Suspense fallback={null}>
            <FirstRun />
          </Suspense>
        )}
        {examples.length > 0 && (
          <ul className="examples" aria-label={t.emptyChat.examples}>
            {examples.map((example) => (
              <li key={example}>
                <button type="button" className="example" disabled={blocked} onClick={() => void send(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

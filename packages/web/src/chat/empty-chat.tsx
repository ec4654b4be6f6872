import { lazy, Suspense } from 'react'
import { exampleRequests, isDemoModel } from '../api/model-info.ts'
import { useBlocked } from '../composer/use-blocked.ts'
import { formatElements } from '../texts/sentence.tsx'
import { t } from '../texts/t.ts'
import { Logo } from '../ui/mark.tsx'
import { useApp, useCurrentModel, useWorkspace } from '../workspace.ts'
import { useSessionStore } from './session-context.ts'
import './empty-chat.css'

const shownExamples = 8
/** Only who has said nothing here yet sees it; without it the screen is still one to begin on. */
const FirstRun = lazy(() =>
  import('../first-run/first-run.tsx').then(
    (loaded) => ({ default: loaded.FirstRun }),
    () => ({ default: () => null }),
  ),
)

/** The first screen of a session: a word of welcome, and requests to begin with where the model brings some. */
export function EmptyChat() {
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

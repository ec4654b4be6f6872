import { examplesOf, isDemo } from '../api/model-info.ts'
import { Mark } from '../ui/mark.tsx'
import { useApp, useCurrentModel, useWorkspace } from '../workspace.ts'
import { useSessionStore } from './session-context.ts'
import { useBlocked } from '../composer/use-blocked.ts'
import './empty-chat.css'

const shownExamples = 8

/** The first screen of a session: a word of welcome, and requests to begin with where the model brings some. */
export function EmptyChat() {
  const { app } = useWorkspace()
  const { send } = useSessionStore()
  const current = useCurrentModel()
  const model = useApp((state) => state.models.find(({ ref }) => ref === current))
  const blocked = useBlocked() !== null
  const examples = examplesOf(model).slice(0, shownExamples)
  return (
    <div className="empty">
      <div className="empty-inner">
        <Mark />
        <h2>What shall we work on?</h2>
        {isDemo(current) && (
          <p className="empty-note">
            You are talking to the demo model. It is scripted, not an AI, but the tools it calls are real: try one of
            these to see how a run looks. For real answers,{' '}
            <button type="button" className="empty-add" onClick={() => app.openSettings('models')}>
              add a model
            </button>
            .
          </p>
        )}
        {examples.length > 0 && (
          <ul className="examples" aria-label="Examples">
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

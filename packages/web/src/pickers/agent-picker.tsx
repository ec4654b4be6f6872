import { Bot } from 'lucide-react'
import { lazy } from 'react'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { OnDemand } from '../ui/menu.tsx'
import { sessionAgent } from '../workspace/app-state.ts'
import { useApp } from '../workspace/workspace.ts'
import './picker-trigger.css'
import './agent-picker.css'

export const loadAgentMenu = () => import('./agent-menu.tsx')
const AgentMenu = lazy(() => loadAgentMenu().then((loaded) => ({ default: loaded.AgentMenu })))

/** Selects the session's agent before its first message. Afterwards shows it, unless it is the master. */
export function AgentPicker() {
  const isNew = useApp((state) => state.isNew)
  const name = useApp(sessionAgent)
  if (isNew) return <Picker name={name ?? 'master'} />
  if (name === null || name === 'master') return null
  return (
    <span className="picker-trigger agent-trigger" data-chosen>
      <Bot aria-hidden />
      <span className="visually-hidden">{t.agents.picked('')}</span>
      <span className="agent-trigger-name">
        <VisibleText text={name} as="name" />
      </span>
    </span>
  )
}

function Picker({ name }: { name: string }) {
  const isMaster = name === 'master'
  return (
    <OnDemand
      button={
        <button
          type="button"
          className="picker-trigger agent-trigger"
          data-chosen={isMaster ? undefined : ''}
          aria-haspopup="menu"
          aria-label={t.agents.picked(name)}
        >
          <Bot aria-hidden />
          {!isMaster && (
            <span className="agent-trigger-name">
              <VisibleText text={name} as="name" />
            </span>
          )}
        </button>
      }
    >
      {(button, onClosed) => <AgentMenu name={name} trigger={button} onClosed={onClosed} />}
    </OnDemand>
  )
}

import { Bot } from 'lucide-react'
import { useMemo } from 'react'
import { useStore } from 'zustand'
import { IconButton } from '../ui/icon-button.tsx'
import { t } from '../texts/t.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { frontPanel } from '../panels/panels-state.ts'
import { agentPanel } from './agent-panel.ts'
import { isAgentActive } from './sub-agent.ts'
import './agents-button.css'

/** The agents of the session in sight, where it has any, and how many of them are at work. */
export function AgentsButton() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const { agents, panels } = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const count = useStore(agents, (state) => state.agents.size)
  const working = useStore(agents, (state) => [...state.agents.values()].filter(isAgentActive).length)
  const isOpen = useStore(panels, (state) => !state.hidden && frontPanel(state)?.kind === 'agent')
  if (count === 0) return null
  return (
    <IconButton
      className="agents-button"
      label={working > 0 ? t.subAgents.atWorkCount(working) : t.subAgents.count(count)}
      aria-pressed={isOpen}
      data-working={working > 0}
      onClick={() => (isOpen ? panels.hide() : void panels.open(agentPanel(agents, null)))}
    >
      <Bot />
      {working > 0 && <span className="agents-count">{working}</span>}
    </IconButton>
  )
}

import { Bot } from 'lucide-react'
import { useEffect } from 'react'
import { textIn } from '../../api/read-fields.ts'
import { AgentView } from '../../chat/agent-view.tsx'
import { useSessionStore } from '../../chat/session/session-context.ts'
import type { PanelProps } from '../../state/panels-state.ts'
import { AllAgents } from '../../sub-agents/agent-row.tsx'
import './agents-panel.css'

export { Bot as Icon }

/** Conversation of an agent (`agentId`), or all agents of the session. */
export default function AgentPanel({ panel }: PanelProps) {
  const { agents } = useSessionStore()
  const agentId = textIn(panel.data['agentId']) ?? null
  useEffect(() => {
    agents.show({ agentId })
    return () => agents.show(null)
  }, [agents, agentId])
  return <div className="agents-panel">{agentId === null ? <AllAgents /> : <AgentView agentId={agentId} />}</div>
}

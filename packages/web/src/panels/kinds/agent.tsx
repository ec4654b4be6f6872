import { Bot } from 'lucide-react'
import { useEffect } from 'react'
import { useSessionStore } from '../../chat/session-context.ts'
import { textIn } from '../../displays/parts/read-fields.ts'
import { AgentView } from '../../sub-agents/agent-view.tsx'
import { AllAgents } from '../../sub-agents/all-agents.tsx'
import type { PanelProps } from '../panel.ts'
import '../../sub-agents/agents-panel.css'

export { Bot as Icon }

/** The conversation of an agent (`agentId`), or all agents of the session. */
export default function AgentPanel({ panel }: PanelProps) {
  const { agents } = useSessionStore()
  const agentId = textIn(panel.data['agentId']) ?? null
  useEffect(() => {
    agents.show({ agentId })
    return () => agents.show(null)
  }, [agents, agentId])
  return <div className="agents-panel">{agentId === null ? <AllAgents /> : <AgentView agentId={agentId} />}</div>
}

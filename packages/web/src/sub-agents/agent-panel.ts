import type { PanelRequest } from '../panels/panel.ts'
import type { SubAgents } from './sub-agents.ts'

/** The conversation of one agent as a panel; null for all agents of the session. */
export function agentPanel(agents: SubAgents, agentId: string | null): PanelRequest {
  if (agentId === null) return { kind: 'agent', title: 'Agents' }
  const title = agents.getState().agents.get(agentId)?.name ?? 'Agent'
  return { kind: 'agent', key: agentId, title, data: { agentId } }
}

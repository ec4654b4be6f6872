import type { SubAgents } from '../chat/session-services.ts'
import type { PanelRequest } from '../panels/panel.ts'
import { t } from '../texts/t.ts'

/** The conversation of one agent as a panel; null for all agents of the session. */
export function agentPanel(agents: SubAgents, agentId: string | null): PanelRequest {
  if (agentId === null) return { kind: 'agent', title: t.subAgents.title }
  const title = agents.getState().agents.get(agentId)?.name ?? t.subAgents.agent
  return { kind: 'agent', key: agentId, title, data: { agentId } }
}

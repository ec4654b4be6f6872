import { useSessionStore } from '../chat/session-context.ts'
import { agentPanel } from './agent-panel.ts'

/** Shows an agent beside the session; null for all of them. */
export function useShowAgent(): (agentId: string | null) => void {
  const { agents, panels } = useSessionStore()
  return (agentId) => void panels.open(agentPanel(agents, agentId))
}

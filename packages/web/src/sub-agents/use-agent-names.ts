import { useSubAgents } from './use-sub-agents.ts'

/** The names of these agents, as far as they are known. */
export function useAgentNames(agentIds: readonly string[]): string {
  return useSubAgents(({ agents }) => agentIds.map((agentId) => agents.get(agentId)?.name ?? agentId).join(', '))
}

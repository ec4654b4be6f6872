import type { SubAgentsState } from '../chat/session-services.ts'
import { useStore } from 'zustand'
import { useSessionStore } from '../chat/session-context.ts'
import { isAgentActive } from './sub-agent.ts'
import type { SubAgent } from './sub-agent.ts'
import { subtree } from './sub-agents-state.ts'

export function useSubAgents<Value>(select: (state: SubAgentsState) => Value): Value {
  return useStore(useSessionStore().agents, select)
}

export function useSubAgent(agentId: string | undefined): SubAgent | undefined {
  return useSubAgents(({ agents }) => (agentId === undefined ? undefined : agents.get(agentId)))
}

/** Whether one of them, or one below them, is at work. */
export function useAnyAgentActive(agentIds: readonly string[]): boolean {
  return useSubAgents(({ agents, below }) =>
    subtree(below, agentIds).some((agentId) => isAgentActive(agents.get(agentId) ?? { status: 'completed' })),
  )
}

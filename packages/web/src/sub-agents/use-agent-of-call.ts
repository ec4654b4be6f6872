import type { ToolCall } from '../chat/tool-call.ts'
import { readReport } from './read-report.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** The agent that a call has started, once that is known. */
export function useAgentForCall(call: ToolCall): string | undefined {
  const told = readReport(call.output)?.agentId ?? readReport(call.progress?.last)?.agentId
  return useSubAgents(({ agents }) => {
    if (told !== undefined) return told
    for (const agent of agents.values()) if (agent.toolCallId === call.toolCallId) return agent.agentId
    return undefined
  })
}

import { z } from 'zod'
import { agentResultText, requireAgents } from '../sub-agents/delegate.ts'
import type { AgentReport, Refusal } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Stops an agent you started, and everything it started. Returns what it had written so far.',
  input: z.object({ agent_id: z.string().max(64) }),
  readOnly: false,
  recover: 'rerun',
  needsApproval: false,
  deferred: true,
  listedAfter: { tool: 'Task', flag: 'background' },
  group: 'agent',
  title: ({ agent_id: id }) => `Stop ${id}`,
  execute: ({ agent_id: id }, ctx): Promise<AgentReport | Refusal> => requireAgents(ctx).abort(id),
  toModel: agentResultText,
})

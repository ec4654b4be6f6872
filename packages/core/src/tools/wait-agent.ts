import { z } from 'zod'
import { agentResultText, requireAgents } from '../sub-agents/delegate.ts'
import type { AgentReport, Refusal } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

const longestMs = 3_600_000

export default defineTool({
  description: `Waits until background agents have ended and returns their answers. "mode": "any" returns when the first one ends. After "timeout_ms", returns their current status; the agents keep running.`,
  input: z.object({
    agent_ids: z.array(z.string().max(64)).min(1).max(100),
    mode: z.enum(['any', 'all']).describe('Default: all').optional(),
    timeout_ms: z.number().positive().max(longestMs).describe('Default: until they end').optional(),
  }),
  readOnly: true,
  polls: true,
  deferred: true,
  listedAfter: { tool: 'Task', flag: 'background' },
  group: 'agent',
  title: ({ agent_ids: ids }) => `Wait for ${ids.length === 1 ? ids[0] : `${ids.length} agents`}`,
  execute: ({ agent_ids: ids, mode, timeout_ms: ms }, ctx): Promise<(AgentReport | Refusal)[]> =>
    requireAgents(ctx).wait(ids, { mode, ms }),
  toModel: (reports) => reports.map(agentResultText).join('\n\n'),
})

import { z } from 'zod'
import { activeSkillLimits } from '../permission/policy.ts'
import { agentResultText, requireAgents } from '../sub-agents/delegate.ts'
import type { AgentReport, Refusal } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Sends a message to an agent you started. A running agent reads it at its next step; a finished one continues with it and remembers its conversation. "interrupt": true stops its current work first. Returns immediately; use WaitAgent to wait for the answer.`,
  input: z.object({
    agent_id: z.string().max(64),
    message: z.string().min(1).max(6000, 'at most 6000 characters. Put anything longer into a file and give its path'),
    interrupt: z.boolean().describe('Stop its current work first').optional(),
  }),
  readOnly: false,
  recover: 'rerun',
  needsApproval: false,
  deferred: true,
  listedAfter: { tool: 'Task', flag: 'background' },
  group: 'agent',
  title: ({ agent_id: id }) => `Message ${id}`,
  execute: ({ agent_id: agentId, message, interrupt }, ctx): Promise<AgentReport | Refusal> =>
    requireAgents(ctx).send(agentId, message, { interrupt: interrupt === true, skillLimits: activeSkillLimits(ctx) }),
  toModel: (report) =>
    'refused' in report
      ? agentResultText(report)
      : `The agent "${report.name}" (${report.agentId}) got the message and is ${report.status}. Use WaitAgent to wait for its answer.`,
})

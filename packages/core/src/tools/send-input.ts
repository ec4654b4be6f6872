import { z } from 'zod'
import { activeSkillLimits } from '../run/skill-limits.ts'
import { agentResultText, requireAgents } from '../sub-agents/delegate.ts'
import type { AgentReport, Refusal } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Tells an agent that you started more. One that works reads it at its next step; one that has ended goes on with it, remembering its conversation. "interrupt": true stops what it is doing first. Returns at once: WaitAgent waits for the answer.`,
  input: z.object({
    agent_id: z.string().max(64),
    message: z.string().min(1).max(6000, 'at most 6000 characters; put the rest into a file and name it'),
    interrupt: z.boolean().describe('Stop what it is doing first').optional(),
  }),
  readOnly: false,
  recover: 'rerun',
  needsApproval: false,
  deferred: true,
  listedAfter: ({ name, input }) => name === 'Task' && input['background'] === true,
  group: 'agent',
  title: ({ agent_id: id }) => `Tell ${id}`,
  execute: ({ agent_id: agentId, message, interrupt }, ctx): Promise<AgentReport | Refusal> =>
    requireAgents(ctx).send(agentId, message, { interrupt: interrupt === true, unasked: activeSkillLimits(ctx) }),
  toModel: (report) =>
    'refused' in report
      ? agentResultText(report)
      : `The agent "${report.name}" (${report.agentId}) has it and is ${report.status}. WaitAgent waits for its answer.`,
})

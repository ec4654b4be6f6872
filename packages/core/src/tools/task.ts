import { z } from 'zod'
import { activeSkillLimits } from '../permission/policy.ts'
import { agentResultText, requireAgents } from '../sub-agents/delegate.ts'
import type { AgentReport, Refusal, SpawnRequest } from '../tool/services.ts'
import { defineTool } from '../tool/tool.ts'

const maxTaskLength = 6000

const inputSchema = z
  .looseObject({
    name: z.string().max(200).describe('The agent to use').optional(),
    task: z
      .string()
      .describe(
        `Everything the agent needs: what to do, what is known, what to report. At most ${maxTaskLength} characters`,
      )
      .optional(),
    background: z.boolean().describe('Return immediately. You are notified when it ends').optional(),
    model: z.string().max(300).describe('provider/model. Default: your own model').optional(),
    config: z
      .object({ systemPrompt: z.string().min(1).max(20_000), tools: z.array(z.string()).max(200).optional() })
      .describe('Define a new agent: its prompt and which of your tools it gets')
      .optional(),
  })
  .meta({ required: ['name', 'task'], additionalProperties: false })
type Input = z.infer<typeof inputSchema>

export default defineTool({
  description: `Delegates a self-contained part of the work to another agent and returns its answer. Several Task calls in one step run in parallel.
With "background", returns the agent's id immediately. SendInput messages it, WaitAgent waits for it, AbortAgent stops it.`,
  input: inputSchema,
  readOnly: false,
  concurrent: true,
  recover: 'rerun',
  needsApproval: false,
  group: 'agent',
  touches: (input) => [{ kind: 'agent', name: agentName(input) ?? '' }],
  title: (input) => `${agentName(input) ?? 'Agent'}: ${firstLine(taskText(input) ?? '')}`,
  validate(input) {
    const task = taskText(input)
    if (agentName(input) === undefined) return 'Give the agent to use in "name".'
    if (task === undefined || task.trim() === '') return 'Describe the work in "task".'
    if (task.length > maxTaskLength)
      return `The task has ${task.length} characters. The limit is ${maxTaskLength}. Put the rest into a file and give its path.`
    return undefined
  },
  async *execute(input, ctx): AsyncGenerator<Progress, AgentReport | Refusal, void> {
    const agents = requireAgents(ctx)
    const unasked = activeSkillLimits(ctx)
    const request: SpawnRequest = {
      name: agentName(input) as string,
      task: taskText(input) as string,
      background: input.background,
      model: input.model,
      skillLimits: unasked.length > 0 ? unasked : undefined,
      config: input.config && { systemPrompt: input.config.systemPrompt, tools: input.config.tools },
    }
    return yield* follow((onChange) => agents.spawn(request, onChange))
  },
  toModel: (report, input) =>
    'refused' in report || input.background !== true || report.text !== ''
      ? agentResultText(report)
      : `The agent "${report.name}" is running in the background. Its id is ${report.agentId}.`,
  display: (report, input) => ({
    title: `${agentName(input) ?? 'Agent'}: ${firstLine(taskText(input) ?? '')}`,
    summary: 'refused' in report ? report.refused : report.status,
    content: 'refused' in report ? report.message : { kind: 'agent', ...report },
  }),
})

type Progress = Pick<AgentReport, 'agentId' | 'name' | 'status' | 'steps' | 'tokens'>

async function* follow(
  spawn: (onChange: (report: AgentReport) => void) => Promise<AgentReport | Refusal>,
): AsyncGenerator<Progress, AgentReport | Refusal, void> {
  let news = Promise.withResolvers<void>()
  let latest: Progress | undefined
  let shown = ''
  const ended = spawn(({ agentId, name, status, steps, tokens }) => {
    latest = { agentId, name, status, steps, tokens }
    news.resolve()
  })
  const over = ended.then(() => true)
  over.catch(() => undefined)
  while (!(await Promise.race([over, news.promise.then(() => false)]))) {
    news = Promise.withResolvers<void>()
    const state = `${latest?.status} ${latest?.steps}`
    if (latest === undefined || state === shown) continue
    shown = state
    yield latest
  }
  return ended
}

/** Some models use other field names. */
function agentName(input: Input): string | undefined {
  return nonEmptyText(input.name) ?? nonEmptyText(input['subagent_type']) ?? nonEmptyText(input['agent_type'])
}

function taskText(input: Input): string | undefined {
  return (
    nonEmptyText(input.task) ??
    nonEmptyText(input['prompt']) ??
    nonEmptyText(input['message']) ??
    nonEmptyText(input['description'])
  )
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { planFileOf } from '../tool/agent-state.ts'
import { defineTool, type ToolContext } from '../tool/tool.ts'

export default defineTool({
  description: `For plan mode only. Shows the user your plan and waits for approval: they approve it or tell you what to change. The plan is the content of the plan file, or "plan" if given. Call it when the plan is complete. For questions, use AskUserQuestion.`,
  input: z.object({
    plan: z.string().max(200_000).describe('The plan as Markdown. Not needed if it is in the plan file').optional(),
  }),
  // A write, so calls keep their order. The user's answer is found again, so it can rerun.
  readOnly: false,
  needsApproval: false,
  recover: 'rerun',
  deferred: true,
  listedIn: 'plan',
  group: 'plan',
  title: () => 'Plan',
  async execute({ plan: given }, ctx): Promise<PlanOutput> {
    const { mode } = ctx
    if (mode === undefined || (mode.get() !== 'plan' && ctx.resumed !== true))
      throw new Error('The chat is not in plan mode, so there is nothing to exit. Continue with the work.')
    const plan = given?.trim() || (await readPlan(ctx))
    const answer = await ctx.ask({ kind: 'plan', title: 'Approve this plan?', content: { plan } })
    if (answer.type === 'deny') {
      const { remark } = answer
      throw new Error(
        remark === undefined ? 'The user did not approve the plan.' : `The user did not approve the plan: ${remark}`,
      )
    }
    if (answer.type !== 'plan') throw new Error(`Unexpected answer to a plan: "${answer.type}".`)
    const { choice } = answer
    const remark = answer.remark?.trim() || undefined
    const output = { choice, plan, remark }
    if (choice === 'continue') return output
    await mode.set('accept-edits')
    if (choice === 'clean') restartFromPlan(output, ctx)
    return output
  },
  toModel({ choice, plan, remark }) {
    if (choice === 'continue')
      return `The user wants to keep planning. The chat stays in plan mode.${remarkText(remark)} Change the plan, then call ExitPlanMode again.`
    return `${approved} Plan mode is off and files in the workspace can be changed.${remarkText(remark)} Carry it out now:\n\n${plan}`
  },
  display: ({ choice, plan }) => ({
    title: 'Plan',
    summary: { edit: 'approved', clean: 'approved, starts with a fresh context', continue: 'changes requested' }[
      choice
    ],
    content: plan,
  }),
})

interface PlanOutput {
  choice: 'edit' | 'clean' | 'continue'
  plan: string
  remark?: string
}

const approved = 'The user approved the plan.'

function remarkText(remark: string | undefined): string {
  return remark === undefined ? '' : ` They said: ${remark}`
}

async function readPlan({ state }: ToolContext): Promise<string> {
  const file = planFileOf(state)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  })
  if (text.trim() === '') throw new Error(`There is no plan yet. Write it to ${file} or pass it as "plan".`)
  return text.trim()
}

/**
 * From here on the model receives the plan instead of the conversation before it, and counts as having read no file.
 */
function restartFromPlan({ plan, remark }: PlanOutput, ctx: ToolContext): void {
  const id = `plan_${createHash('sha256').update(`${ctx.run.id}\n${ctx.toolCallId}`).digest('hex').slice(0, 32)}`
  const summary = `${approved}${remarkText(remark)} The planning conversation is not included. Carry out the plan:\n\n${plan}`
  const upTo = { messageId: ctx.messageId, step: ctx.run.step }
  ctx.emit('compaction', { id, upTo, summary }, { id })
  ctx.state.reads.clear()
  ctx.state.shownNotes.clear()
}

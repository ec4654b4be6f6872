import type { ActiveTurn } from './emitter.ts'
import { z } from 'zod'
import { NamedError } from '../error.ts'
import { askPlan, planError, commandSchema, readCommand, runPlanned } from './plan-parts.ts'
import { planRounds } from './plan-rounds.ts'
import { setSlots } from './slots.ts'
import { actionResults } from './tool-log.ts'

const singlePlanSchema = z.object({
  use_tool: z.boolean(),
  tool_command: commandSchema.nullable().describe('null when no tool is used'),
})

const singlePlanQuestion = 'Judge whether a tool of {tools} is needed to collect what a good answer to {input} takes.'

const resultsNotice =
  'What stands in {action_results} was just looked up for this request. Rely on it, and quote it or name its source, with the URL where there is one.'

/**
 * Tools for models that cannot call them: a request of its own says whether one is needed, it is run, and what it
 * brought joins the prompt. A plan that cannot be read is told as a warning, and the answer is given without it.
 */
export async function planExternally(run: ActiveTurn): Promise<void> {
  const { spec, ctx } = run
  const rounds = Math.min(5, spec.settings.rounds ?? 1)
  try {
    await (rounds > 1 ? planRounds(run, rounds) : planOnce(run))
  } catch (error) {
    if (!isPlanError(error)) throw error
    const message = `A plan of the tools could not be read; answered without it. ${error.message}`
    ctx.extra['planProblem'] = message
    run.emitter.emit({ type: 'warning', message })
  }
  if (ctx.toolLogs.length === 0) return
  ctx.prompt = setSlots(ctx.prompt, { actionResults: actionResults(ctx.toolLogs), extra_instruction: resultsNotice })
}

async function planOnce(run: ActiveTurn): Promise<void> {
  await askPlan(run, { instruct: singlePlanQuestion }, singlePlanSchema, async (plan) => {
    // The decision may come after the command: nothing runs before both are there.
    const decision: unknown = await plan.key('use_tool')
    if (decision === false) return
    if (decision !== true) throw planError('It does not say whether a tool is used.')
    const call = readCommand(await plan.key('tool_command'))
    // What comes behind the command does not matter any more.
    await Promise.all([runPlanned(run, [call]), plan.result().catch(() => undefined)])
  })
}

function isPlanError(error: unknown): error is NamedError {
  return error instanceof NamedError && ['PlanBroken', 'OutputNotAccepted', 'KeyNeverArrived'].includes(error.name)
}

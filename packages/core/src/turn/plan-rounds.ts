import type { ActiveTurn } from './emitter.ts'
import { z } from 'zod'
import type { PlannedCall } from './execute-calls.ts'
import { askPlan, commandSchema, readCommand, runPlanned } from './plan-parts.ts'
import { actionResults } from './tool-log.ts'

const roundPlanSchema = z.object({
  next_action: z.literal(['execute', 'response']),
  execution_commands: z.array(commandSchema).describe('empty for a response'),
})

const roundPlanQuestion =
  'Decide what comes next: "execute" tools of {tools} to collect what a good answer to {input} still lacks, or "response" when {done_plans} and {last_round_result} are enough.'

/** Several plans in a row: each sees what the ones before did. Commands of a round run together where they only read. */
export async function planRounds(run: ActiveTurn, rounds: number): Promise<void> {
  const { toolLogs } = run.ctx
  let seen = 0
  let calls: PlannedCall[] = []
  for (let round = 1; round <= rounds; round++) {
    const slots = {
      done_plans: toolLogs.map(({ purpose, name }) => `${purpose} (${name})`),
      last_round_result: actionResults(toolLogs.slice(seen)),
      round: `${round} of ${rounds}`,
      instruct: roundPlanQuestion,
    }
    calls = []
    await askPlan(run, slots, roundPlanSchema, async (plan) => {
      if ((await plan.key('next_action')) === 'response') return
      calls = (await plan.result()).data.execution_commands.map(readCommand)
    })
    if (calls.length === 0) return
    seen = toolLogs.length
    await runPlanned(run, calls)
  }
}

import { z } from 'zod'
import type { Conducted } from './conduct.ts'
import { commandSchema, planSlots, readCommand, runPlanned } from './plan-parts.ts'
import { actionResults } from './tool-log.ts'

const planSchema = z.object({
  next_action: z.literal(['execute', 'response']),
  execution_commands: z.array(commandSchema).describe('empty for a response'),
})

const question =
  'Decide what comes next: "execute" tools of {tools} to collect what a good answer to {input} still lacks, or "response" when {done_plans} and {last_round_result} are enough.'

/** Several plans in a row: each sees what the ones before did. Commands of a round run together where they only read. */
export async function planRounds(run: Conducted, rounds: number): Promise<void> {
  const { ctx, signal } = run
  let seen = 0
  for (let round = 1; round <= rounds; round++) {
    const plan = ctx
      .turn()
      .set({
        ...planSlots(run),
        done_plans: ctx.toolLogs.map(({ purpose, name }) => `${purpose} (${name})`),
        last_round_result: actionResults(ctx.toolLogs.slice(seen)),
        round: `${round} of ${rounds}`,
        instruct: question,
      })
      .output(planSchema)
      .retries(0)
      .run({ signal })
    if ((await plan.key('next_action')) === 'response') return plan.stop()
    const { data, usage } = await plan.result()
    ctx.addUsage(usage)
    if (data.execution_commands.length === 0) return
    seen = ctx.toolLogs.length
    await runPlanned(run, data.execution_commands.map(readCommand))
  }
}

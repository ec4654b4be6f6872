import type { ActiveTurn } from './emitter.ts'
import type { TurnRun } from './extension.ts'
import { z } from 'zod'
import { NamedError } from '../error.ts'
import type { OutputSource } from '../output/output-schema-types.ts'
import { executeCalls, type PlannedCall } from './execute-calls.ts'
import type { Slots } from './slots.ts'

/** One call as a plan writes it. */
export const commandSchema = z.object({
  purpose: z.string().describe('what the call is to find out or do'),
  tool_name: z.string().describe('a name from {tools}'),
  tool_kwargs: z.record(z.string(), z.unknown()).describe('as {tools} says'),
})

/** What a plan is made of: the question of the turn, its tools, and what the model would know of the conversation. */
function planSlots({ ctx, spec }: ActiveTurn): Slots {
  const { system, role, rules, userInfo, developer, history, input, attachment, instruct } = ctx.prompt
  const seen = { system, role, rules, userInfo, developer, history, input, attachment }
  return { ...seen, 'extra instruction': instruct, tools: spec.toolTexts() } as Slots
}

/** Asks for a plan and reads it. It ends with its reader, and its tokens count whatever becomes of it. */
export async function askPlan<In, Out>(
  run: ActiveTurn,
  slots: Slots,
  schema: OutputSource<In, Out>,
  read: (plan: TurnRun<In, Out>) => Promise<void>,
): Promise<void> {
  const { ctx, signal } = run
  const turn = ctx.turn().set({ ...planSlots(run), ...slots })
  const plan = turn.output(schema).retries(0).run({ signal })
  try {
    await read(plan)
  } finally {
    plan.stop()
    await plan.result().catch(() => undefined)
    ctx.addUsage(plan.usage())
  }
}

/** Missing arguments are the tool's business: its schema complains. */
export function readCommand(given: unknown): PlannedCall {
  const { purpose, tool_name: name, tool_kwargs: kwargs } = (given ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || name === '') throw planError('It wants a tool and does not name one.')
  return { name, kwargs, purpose: typeof purpose === 'string' && purpose !== '' ? purpose : name }
}

export async function runPlanned(run: ActiveTurn, calls: readonly PlannedCall[]): Promise<void> {
  const { spec, ctx, signal, id } = run
  const { settings, tools } = spec
  const logs = await executeCalls(calls, { settings, tools, session: ctx.session, runId: id, signal })
  for (const log of logs) run.tool(log)
}

export function planError(message: string): NamedError {
  return new NamedError('PlanBroken', message)
}

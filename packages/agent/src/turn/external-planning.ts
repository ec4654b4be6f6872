import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { run } from '@troupe/core/run'
import type { Tool } from '@troupe/core/tool'
import { NamedError, newId } from '@troupe/protocol'
import { z } from 'zod'
import type { OutputSource } from '../output/ensure.ts'
import { setSlots, type Slots } from '../prompt/slots.ts'
import type { ActiveTurn } from './active-turn.ts'
import type { AgentOptions } from './agent-options.ts'
import { createCallLogs, runInput } from './attempt.ts'
import { actionResults, type ToolLog } from './tool-registry.ts'
import type { TurnRun } from './turn.ts'

const commandSchema = z.object({
  purpose: z.string().describe('what the call should find out or do'),
  tool_name: z.string().describe('a name from {tools}'),
  tool_kwargs: z.record(z.string(), z.unknown()).describe('as {tools} says'),
})

function planSlots({ ctx, spec }: ActiveTurn): Slots {
  const { system, role, rules, userInfo, developer, history, input, attachment, instruct } = ctx.prompt
  const seen = { system, role, rules, userInfo, developer, history, input, attachment }
  return { ...seen, 'extra instruction': instruct, tools: spec.toolTexts() } as Slots
}

/** Requests a plan and reads it. The request ends with its reader. Its tokens always count. */
async function askPlan<In, Out>(
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

/** Missing arguments are left to the tool's schema. */
function readCommand(given: unknown): PlannedCall {
  const { purpose, tool_name: name, tool_kwargs: kwargs } = (given ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || name === '') throw planError('It wants a tool but does not name one.')
  return { name, kwargs, purpose: typeof purpose === 'string' && purpose !== '' ? purpose : name }
}

async function runPlanned(run: ActiveTurn, calls: readonly PlannedCall[]): Promise<void> {
  const { spec, ctx, signal, id } = run
  const { settings, tools } = spec
  const logs = await executeCalls(calls, { settings, tools, session: ctx.session, runId: id, signal })
  for (const log of logs) run.tool(log)
}

function planError(message: string): NamedError {
  return new NamedError('PlanBroken', message)
}

const singlePlanSchema = z.object({
  use_tool: z.boolean(),
  tool_command: commandSchema.nullable().describe('null when no tool is used'),
})

const singlePlanQuestion =
  'Decide whether a tool from {tools} is needed to gather information for a good answer to {input}.'

const resultsNotice =
  '{action_results} was just looked up for this request. Rely on it, and quote it or cite its source, with the URL if there is one.'

/**
 * Runs tools for models without native tool calls. A separate request decides if one is needed; its result is added to
 * the prompt. An unreadable plan emits a warning, and the answer continues without it.
 */
export async function planExternally(run: ActiveTurn): Promise<void> {
  const { spec, ctx } = run
  const rounds = Math.min(5, spec.settings.rounds ?? 1)
  try {
    await (rounds > 1 ? planRounds(run, rounds) : planOnce(run))
  } catch (error) {
    if (!isPlanError(error)) throw error
    const message = `A tool plan was invalid, so the answer was written without it. ${error.message}`
    ctx.extra['planProblem'] = message
    run.emitter.emit({ type: 'warning', message })
  }
  if (ctx.toolLogs.length === 0) return
  ctx.prompt = setSlots(ctx.prompt, { actionResults: actionResults(ctx.toolLogs), extra_instruction: resultsNotice })
}

async function planOnce(run: ActiveTurn): Promise<void> {
  await askPlan(run, { instruct: singlePlanQuestion }, singlePlanSchema, async (plan) => {
    // The decision may come after the command, so wait for both before running.
    const decision: unknown = await plan.key('use_tool')
    if (decision === false) return
    if (decision !== true) throw planError('It does not say whether a tool is used.')
    const call = readCommand(await plan.key('tool_command'))
    // The text after the command is irrelevant.
    await Promise.all([runPlanned(run, [call]), plan.result().catch(() => undefined)])
  })
}

function isPlanError(error: unknown): error is NamedError {
  return error instanceof NamedError && ['PlanBroken', 'OutputNotAccepted', 'KeyNeverArrived'].includes(error.name)
}

const roundPlanSchema = z.object({
  next_action: z.literal(['execute', 'response']),
  execution_commands: z.array(commandSchema).describe('empty for a response'),
})

const roundPlanQuestion =
  'Decide what comes next: "execute" tools from {tools} to gather what a good answer to {input} still needs, or "response" if {done_plans} and {last_round_result} are enough.'

/**
 * Runs several plans in sequence, each with the results of the earlier ones. Read-only commands of a round run in
 * parallel.
 */
async function planRounds(run: ActiveTurn, rounds: number): Promise<void> {
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

interface PlannedCall {
  purpose: string
  name: string
  kwargs: unknown
}

interface PlannedCallOptions {
  settings: AgentOptions
  session: string
  runId: string
  signal: AbortSignal
  tools: readonly Tool[]
}

/**
 * Runs planned calls like a model's tool calls, by replaying them to a run. Their schemas and permissions apply.
 * Adjacent read-only calls run in parallel, writes run alone. A failure becomes the `error` of its log.
 */
async function executeCalls(planned: readonly PlannedCall[], ground: PlannedCallOptions): Promise<ToolLog[]> {
  const { settings, tools, signal } = ground
  const calls = planned.map((plan) => ({ ...plan, id: newId('call_') }))
  const logs = new Map<string, ToolLog>()
  const hear = createCallLogs((log, toolCallId) => logs.set(toolCallId, log))
  const input = runInput({ ...ground, settings: { ...settings, model: modelPlayingCalls(calls, settings.model) } })
  await run({
    ...input,
    tools,
    history: [],
    limits: { ...settings.limits, steps: 1 },
    log: { append: hear, note: () => undefined, sync: () => Promise.resolve() },
  })
  signal.throwIfAborted()
  return calls.map(({ id, name, kwargs, purpose }) => ({
    ...(logs.get(id) ?? { name, kwargs, error: 'Not run: an earlier tool call was denied.' }),
    purpose,
  }))
}

function modelPlayingCalls(calls: readonly (PlannedCall & { id: string })[], model: LanguageModelV4): LanguageModelV4 {
  let played = false
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream(options) {
      if (played) return model.doStream(options)
      played = true
      return Promise.resolve({ stream: streamOf(streamParts(calls)) })
    },
  }
}

function streamOf<T>(items: Iterable<T>): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item)
      controller.close()
    },
  })
}

function* streamParts(calls: readonly (PlannedCall & { id: string })[]): Generator<LanguageModelV4StreamPart, void> {
  yield { type: 'stream-start', warnings: [] }
  for (const { id, name, kwargs } of calls) {
    yield { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(kwargs ?? {}) }
  }
  yield {
    type: 'finish',
    finishReason: { unified: 'tool-calls', raw: 'plan' },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 0, text: 0, reasoning: undefined },
    },
  }
}

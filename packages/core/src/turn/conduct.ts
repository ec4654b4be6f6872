import type { OutputProblem } from '../output/output-problem.ts'
import type { OutputStream } from '../output/output-stream-types.ts'
import type { Usage } from '../protocol/message.ts'
import { answer } from './answer.ts'
import { createEmitter, type Emitter } from './emitter.ts'
import type { TurnContext, TurnEvent, TurnResult } from './extension.ts'
import type { Replay } from './replay.ts'
import type { RunSpec } from './run-spec.ts'
import { toolLogLine, type ToolLog } from './tool-log.ts'

/** Ends the attempt under way, and says why. */
export interface Cut {
  reason: 'invalid' | 'satisfied' | 'failed' | undefined
  /** What a validator said that had it cut. */
  problems: OutputProblem[]
  now(reason: NonNullable<Cut['reason']>): void
}

export interface Run {
  id: string
  spec: RunSpec
  signal: AbortSignal
  events: Replay<TurnEvent>
  out: OutputStream<unknown>
  cut: Cut
  /** Of all requests so far. */
  usage(): Usage | undefined
  addUsage(usage: Usage | undefined): void
}

/** A run under way, as its parts need it. */
export interface Conducted extends Run {
  ctx: TurnContext
  emitter: Emitter
  tool(log: ToolLog): void
}

/**
 * One run from its first handler to its last: request prefixes, plan, broadcast prefixes, attempts until one is
 * accepted, and `finally` exactly once.
 */
export async function conduct(run: Run): Promise<TurnResult<unknown>> {
  const { spec, events, out } = run
  const conducted = open(run)
  const { ctx, emitter } = conducted
  let result: TurnResult<unknown> | undefined
  let failure: { error: unknown } | undefined
  try {
    result = await answer(conducted)
    emitter.emit({ type: 'done', text: result.text, data: result.data })
    await Promise.all([out.settled(), emitter.settled()])
  } catch (error) {
    failure = { error }
    out.fail(error)
  }
  for (const extension of spec.extensions) {
    try {
      const end = failure === undefined ? { ...ctx, result: result as TurnResult<unknown> } : { ...ctx, ...failure }
      await extension.finally?.(end)
    } catch (error) {
      failure ??= { error }
    }
  }
  events.end(failure?.error)
  if (failure !== undefined) throw failure.error
  return result as TurnResult<unknown>
}

function open(run: Run): Conducted {
  const { id, spec, signal, events, cut } = run
  const toolLogs: ToolLog[] = []
  const ctx: TurnContext = {
    id,
    agent: spec.settings.name,
    signal,
    session: id,
    prompt: spec.slots,
    extra: {},
    toolLogs,
    turn: spec.emptyTurn,
    addUsage: run.addUsage,
  }
  const emitter = createEmitter(events, spec.extensions, ctx, () => cut.now('failed'))
  return {
    ...run,
    ctx,
    emitter,
    tool(log) {
      toolLogs.push(log)
      ctx.extra['toolLogs'] = toolLogs
      emitter.emit({ type: 'tool', log })
      print(spec, log)
    },
  }
}

function print({ settings: { showToolLogs } }: RunSpec, log: ToolLog): void {
  if (showToolLogs === true) process.stderr.write(`${toolLogLine(log)}\n`)
  else if (typeof showToolLogs === 'function') showToolLogs(toolLogLine(log))
}

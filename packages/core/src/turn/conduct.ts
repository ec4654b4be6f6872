import type { ActiveTurn } from './emitter.ts'
import type { TurnRequest } from './emitter.ts'
import { produceAnswer } from './answer.ts'
import { createEmitter } from './emitter.ts'
import type { TurnContext, TurnResult } from './extension.ts'
import type { TurnSpec } from './run-spec.ts'
import { toolLogLine, type ToolLog } from './tool-log.ts'

/**
 * One run from its first handler to its last: request prefixes, plan, broadcast prefixes, attempts until one is
 * accepted, and `finally` exactly once.
 */
export async function runTurn(run: TurnRequest): Promise<TurnResult<unknown>> {
  const { spec, events, out } = run
  const conducted = openTurn(run)
  const { ctx, emitter } = conducted
  let result: TurnResult<unknown> | undefined
  let failure: { error: unknown } | undefined
  try {
    result = await produceAnswer(conducted)
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

function openTurn(run: TurnRequest): ActiveTurn {
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
      printToolLog(spec, log)
    },
  }
}

function printToolLog({ settings: { showToolLogs } }: TurnSpec, log: ToolLog): void {
  if (showToolLogs === true) process.stderr.write(`${toolLogLine(log)}\n`)
  else if (typeof showToolLogs === 'function') showToolLogs(toolLogLine(log))
}

import { addUsage } from '@troupe/core/run'
import { newId, type Usage } from '@troupe/protocol'
import { ReplayBuffer } from '../output/event-queue.ts'
import { createOutputStream } from '../output/output-stream.ts'
import { type ActiveTurn, type AttemptAbort, createEmitter, type TurnRequest } from './active-turn.ts'
import { produceAnswer } from './answer.ts'
import { type ToolLog, toolLogLine } from './tool-registry.ts'
import type { RunOptions, TurnContext, TurnEvent, TurnResult, TurnRun, TurnSpec } from './turn.ts'

/**
 * Executes one run: request prefixes, plan, broadcast prefixes, attempts until one is accepted, and `finally` exactly
 * once.
 */
async function runTurn(run: TurnRequest): Promise<TurnResult<unknown>> {
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

export function createTurnRun<Input, Data>(spec: TurnSpec, options: RunOptions): TurnRun<Input, Data> {
  const id = newId()
  const events = new ReplayBuffer<TurnEvent>()
  const controller = new AbortController()
  const signal = options.signal === undefined ? controller.signal : AbortSignal.any([options.signal, controller.signal])
  const cut: AttemptAbort = { reason: undefined, problems: [], now: () => undefined }
  let begun: Promise<TurnResult<unknown>> | undefined
  let used: Usage | undefined
  const out = createOutputStream<Input, unknown>({
    schema: spec.schema as never,
    ensure: spec.ensure,
    validators: spec.validators,
    pathStyle: options.pathStyle,
    onReader: () => void begin(),
    onInvalid(problem) {
      cut.problems.push(problem)
      cut.now('invalid')
    },
    onSatisfied: () => {
      if (options.stopWhenSatisfied === true) cut.now('satisfied')
    },
  })
  const run = {
    id,
    result: () => begin() as Promise<TurnResult<Data>>,
    events() {
      void begin()
      return events.read()
    },
    text() {
      void begin()
      return deltas(events.read())
    },
    usage: () => used,
    stop: (reason?: unknown) => controller.abort(reason),
    key: (...args: Parameters<typeof out.key>) => out.key(...args),
    waitKeys: (...args: Parameters<typeof out.waitKeys>) => out.waitKeys(...args),
    when(...args: Parameters<typeof out.when>) {
      out.when(...args)
      return run
    },
    startWaiter: () => out.startWaiter(),
    instant: () => out.instant(),
  }
  return run as unknown as TurnRun<Input, Data>

  function count(more: Usage | undefined): void {
    used = addUsage(used, more)
  }

  function begin(): Promise<TurnResult<unknown>> {
    if (begun === undefined) {
      begun = runTurn({ id, spec, signal, events, out: out as never, cut, usage: () => used, addUsage: count })
      // Readers get the error. An unread result must not cause an unhandled rejection.
      begun.catch(() => undefined)
    }
    return begun
  }
}

async function* deltas(events: AsyncIterable<TurnEvent>): AsyncGenerator<string, void, void> {
  for await (const event of events) if (event.type === 'delta') yield event.delta
}

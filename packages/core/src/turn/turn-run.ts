import type { AttemptAbort } from './emitter.ts'
import type { TurnRun } from './extension.ts'
import type { RunOptions } from './extension.ts'
import { newId } from '../protocol/ids.ts'
import type { Usage } from '../protocol/message.ts'
import { addUsage } from '../run/usage.ts'
import { createOutputStream } from '../output/output-stream.ts'
import { runTurn } from './conduct.ts'
import type { TurnEvent, TurnResult } from './extension.ts'
import { ReplayBuffer } from './replay.ts'
import type { TurnSpec } from './run-spec.ts'

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
    ...(options.pathStyle !== undefined && { pathStyle: options.pathStyle }),
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
      // Whoever reads gets the error; a run that nobody asks for its result is no unhandled rejection.
      begun.catch(() => undefined)
    }
    return begun
  }
}

async function* deltas(events: AsyncIterable<TurnEvent>): AsyncGenerator<string, void, void> {
  for await (const event of events) if (event.type === 'delta') yield event.delta
}

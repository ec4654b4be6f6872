import { newId } from '../protocol/ids.ts'
import type { Usage } from '../protocol/message.ts'
import { addUsage } from '../run/usage.ts'
import type { PathStyle } from '../output/instant-event.ts'
import type { OutputKeys } from '../output/output-keys.ts'
import { createOutputStream } from '../output/output-stream.ts'
import { conduct, type Cut } from './conduct.ts'
import type { TurnEvent, TurnResult } from './extension.ts'
import { Replay } from './replay.ts'
import type { RunSpec } from './run-spec.ts'

export interface RunOptions {
  signal?: AbortSignal
  /** The request is ended as soon as every key that anybody waits for has arrived. */
  stopWhenSatisfied?: boolean
  /** How instant events write their paths. Default `dot`. */
  pathStyle?: PathStyle
}

/**
 * One turn being answered. Lazy: the request is made when somebody reads (`when` alone does not). Cached: it is made
 * once, and every reader, however late, gets everything from the beginning. A reader that goes away ends nothing.
 */
export interface TurnRun<Input, Data> extends OutputKeys<Input> {
  readonly id: string
  /** The accepted answer, when all handlers have ended. */
  result(): Promise<TurnResult<Data>>
  /** Everything that happens. */
  events(): AsyncIterableIterator<TurnEvent>
  /** The text as it comes. After a `reset` the next attempt follows; `events` tells where. */
  text(): AsyncIterableIterator<string>
  /** Tokens of all requests so far, as far as the provider told; also of a run that was stopped or failed. */
  usage(): Usage | undefined
  /** Ends the request; whoever reads gets the reason. */
  stop(reason?: unknown): void
}

export function createTurnRun<Input, Data>(spec: RunSpec, options: RunOptions): TurnRun<Input, Data> {
  const id = newId()
  const events = new Replay<TurnEvent>()
  const controller = new AbortController()
  const signal = options.signal === undefined ? controller.signal : AbortSignal.any([options.signal, controller.signal])
  const cut: Cut = { reason: undefined, problems: [], now: () => undefined }
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
      begun = conduct({ id, spec, signal, events, out: out as never, cut, usage: () => used, addUsage: count })
      // Whoever reads gets the error; a run that nobody asks for its result is no unhandled rejection.
      begun.catch(() => undefined)
    }
    return begun
  }
}

async function* deltas(events: AsyncIterable<TurnEvent>): AsyncGenerator<string, void, void> {
  for await (const event of events) if (event.type === 'delta') yield event.delta
}

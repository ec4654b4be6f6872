import { setMaxListeners } from 'node:events'
import { NamedError } from '@troupe/protocol'
import type { Call } from '../tool/parse-call.ts'
import type { Tool } from '../tool/tool.ts'
import { openCallScope } from './call-context.ts'
import { type CallExecution, openExecution } from './execute-call.ts'
import { earlierRefusalText, type Turn } from './turn.ts'

/**
 * Schedules the calls of one step in model order. Adjacent read-only calls run together, each write runs alone, and
 * calls of a concurrent tool run alongside each other. A read-only call with no write before it starts as soon as it is
 * offered.
 */
export interface Schedule {
  /** Calls must arrive in model order. */
  offer: (call: Call) => void
  /** Runs the remaining calls after the model has ended. Resolves when every started call has its result. */
  finish: () => Promise<void>
  cancel: () => void
  /** Starts no calls after this one. */
  endWith: (call: Call) => void
  /** Marks a call as waiting for a person until the returned function is called. */
  waiting: () => () => void
}

/**
 * `execute` rejects only for errors that end the whole run. Once the model has ended, `prepare` is called for the calls
 * queued behind one that waits for a person. It may be called more than once per call.
 */
export function createSchedule(
  execute: (call: Call) => Promise<void>,
  prepare: (call: Call) => void = () => undefined,
): Schedule {
  const queue: Call[] = []
  const early: Promise<void>[] = []
  let closed = false
  let ended = false
  let waiting = 0

  return {
    offer(call) {
      if (call.invalid !== undefined || closed) return
      if (queue.length > 0 || call.tool?.readOnly !== true) return void queue.push(call)
      const started = execute(call)
      // `finish` reports the rejection, possibly much later.
      started.catch(() => undefined)
      early.push(started)
    },
    async finish() {
      ended = true
      prepareQueue()
      await Promise.all(early)
      while (queue.length > 0) await Promise.all(nextGroup(queue).map(execute))
    },
    cancel() {
      closed = true
      queue.length = 0
    },
    endWith(call) {
      closed = true
      queue.length = queue.indexOf(call) + 1
    },
    waiting() {
      waiting++
      prepareQueue()
      return () => void waiting--
    },
  }

  function prepareQueue(): void {
    if (ended && waiting > 0) queue.forEach(prepare)
  }
}

function nextGroup(queue: Call[]): Call[] {
  const first = queue[0] as Call
  const beside = (call: Call): boolean =>
    first.tool?.readOnly === true
      ? call.tool?.readOnly === true
      : first.tool?.concurrent === true && call.toolName === first.toolName
  let count = 1
  while (count < queue.length && beside(queue[count] as Call)) count++
  return queue.splice(0, count)
}

export interface StepCalls extends Pick<Schedule, 'offer' | 'finish' | 'cancel'> {
  /** Starts no more calls, aborts the running ones and waits for them. */
  stop(reason: NamedError): Promise<void>
}

/** Open on the first call, since most model calls make none. */
export function openStepCalls(turn: Turn): StepCalls {
  const { input } = turn
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const scope = {
    ...openCallScope(turn),
    signal: controller.signal,
    deny,
    askSignal,
    asking: () => schedule.waiting(),
  }
  /** Position of each call in the step, and the controller that cancels its asks. */
  const places = new Map<string, { place: number; asking: AbortController }>()
  const executions = new Map<string, CallExecution>()
  const early: Promise<void>[] = []
  const schedule: Schedule = createSchedule((call) => turn.work(() => execute(call)), prepare)
  const onAbort = (): void => abort(input.signal.reason)
  if (input.signal.aborted) onAbort()
  else input.signal.addEventListener('abort', onAbort, { once: true })
  if (turn.denied) schedule.cancel()
  return {
    offer(call) {
      places.set(call.toolCallId, { place: places.size, asking: new AbortController() })
      schedule.offer(call)
    },
    finish,
    cancel: schedule.cancel,
    stop(reason) {
      abort(reason)
      return finish()
    },
  }

  async function execute(call: Call): Promise<void> {
    const refusal = turn.repeats.check(call)
    if (refusal !== undefined) {
      turn.emit({ type: 'tool-output-error', toolCallId: call.toolCallId, errorText: refusal })
      return
    }
    const started = input.resume?.started
    const startedBefore = started?.has(call.toolCallId) === true ? { input: started.get(call.toolCallId) } : undefined
    const execution =
      executions.get(call.toolCallId) ??
      openExecution(call as Call & { tool: Tool }, startedBefore === undefined ? scope : { ...scope, startedBefore })
    turn.repeats.saw(call, await execution.execute())
  }

  function prepare(call: Call): void {
    const { toolCallId } = call
    if (executions.has(toolCallId) || input.resume?.started.has(toolCallId) === true) return
    const execution = openExecution(call as Call & { tool: Tool }, scope)
    executions.set(toolCallId, execution)
    const permitting = turn.work(() => execution.permitEarly())
    permitting.catch(() => undefined)
    early.push(permitting)
  }

  async function finish(): Promise<void> {
    try {
      await schedule.finish()
      await Promise.all(early)
    } finally {
      input.signal.removeEventListener('abort', onAbort)
    }
  }

  function abort(reason: unknown): void {
    schedule.cancel()
    controller.abort(reason)
  }

  function deny(call: Call): void {
    turn.refuse(call.toolName)
    schedule.endWith(call)
    const refused = places.get(call.toolCallId)?.place ?? Infinity
    for (const { place, asking } of places.values())
      if (place > refused) asking.abort(new NamedError('Refused', earlierRefusalText))
  }

  function askSignal({ toolCallId }: Call): AbortSignal {
    return (places.get(toolCallId) as { asking: AbortController }).asking.signal
  }
}

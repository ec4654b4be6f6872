import type { Call } from './parse-call.ts'

/**
 * Runs the calls of one step: read-only neighbours together, each write alone, in model order; calls of a concurrent
 * tool beside their like. A read-only call with no write before it starts as soon as it is offered.
 */
export interface Schedule {
  /** Calls come in model order. */
  offer: (call: Call) => void
  /** The model has ended: run what is left. Resolves when every started call has its result. */
  finish: () => Promise<void>
  /** Nothing further is started. */
  cancel: () => void
  /** Calls after this one are not started. */
  endWith: (call: Call) => void
  /** A call waits for a person until the returned function is called. */
  waiting: () => () => void
}

/**
 * `execute` rejects only for what ends the whole run. `prepare` is called with the calls that have to wait for one that
 * waits for a person, once the model has ended; with a call perhaps more than once.
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
      // Heard by `finish`, which may come much later.
      started.catch(() => undefined)
      early.push(started)
    },
    async finish() {
      ended = true
      prepareQueue()
      await Promise.all(early)
      while (queue.length > 0) await Promise.all(takeGroup(queue).map(execute))
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

function takeGroup(queue: Call[]): Call[] {
  const first = queue[0] as Call
  const beside = (call: Call): boolean =>
    first.tool?.readOnly === true
      ? call.tool?.readOnly === true
      : first.tool?.concurrent === true && call.toolName === first.toolName
  let count = 1
  while (count < queue.length && beside(queue[count] as Call)) count++
  return queue.splice(0, count)
}

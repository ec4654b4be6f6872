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
}

/** `execute` rejects only for what ends the whole run. */
export function createSchedule(execute: (call: Call) => Promise<void>): Schedule {
  const waiting: Call[] = []
  const early: Promise<void>[] = []
  let cancelled = false

  return {
    offer(call) {
      if (call.invalid !== undefined) return
      if (waiting.length > 0 || call.tool?.readOnly !== true || cancelled) return void waiting.push(call)
      const started = execute(call)
      // Heard by `finish`, which may come much later.
      started.catch(() => undefined)
      early.push(started)
    },
    async finish() {
      await Promise.all(early)
      while (waiting.length > 0 && !cancelled) await Promise.all(takeGroup(waiting).map(execute))
    },
    cancel() {
      cancelled = true
    },
  }
}

function takeGroup(waiting: Call[]): Call[] {
  const first = waiting[0] as Call
  const beside = (call: Call): boolean =>
    first.tool?.readOnly === true
      ? call.tool?.readOnly === true
      : first.tool?.concurrent === true && call.toolName === first.toolName
  let count = 1
  while (count < waiting.length && beside(waiting[count] as Call)) count++
  return waiting.splice(0, count)
}

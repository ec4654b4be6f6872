import { runHooks } from '../hooks/run-hooks.ts'
import { hookRunInfo } from './call-facts.ts'
import type { RunOutcome } from './end-turn.ts'
import type { RunInput } from './run-input.ts'

/** The turn is over: hooks hear of it. Nothing is left to refuse, so one that fails is traced. */
export async function runEndHooks(input: RunInput, { status, message, error }: RunOutcome): Promise<void> {
  const { hooks = [] } = input
  // A process that goes has no time for hooks.
  if (status === 'interrupted' || !hooks.some(({ event }) => event === 'run-end')) return
  const last = message.parts.findLast((part) => part.type === 'text')
  const { decision, reason } = await runHooks(
    hooks,
    {
      event: 'run-end',
      status,
      text: last?.text ?? '',
      ...(error !== undefined && { error: error.message }),
      ...hookRunInfo(input),
    },
    // A stop has ended the turn, not what is done about its end.
    { signal: new AbortController().signal },
  )
  if (decision === 'deny') input.trace?.({ level: 'warn', message: `at the end of the run: ${reason ?? 'denied'}` })
}

import { type Chunk, cleanMessage, errorInfo, type ErrorInfo, type Message, type Metadata } from '@troupe/protocol'
import { runHooks } from '../hooks/run-hooks.ts'
import { costOf } from '../model/check-answer.ts'
import { abortReason } from '../tool/abort-reason.ts'
import { hookRunInfo } from './call-context.ts'
import { pausedFinishReason } from './call-model.ts'
import type { RunInput } from './run-input.ts'
import type { Turn } from './turn.ts'

export interface RunOutcome {
  status: 'done' | 'failed' | 'aborted' | 'interrupted'
  /** Cleaned message, as stored. */
  message: Message
  error?: ErrorInfo
}

export const earlierRefusalText = 'Not run: an earlier tool call in this step was denied.'

export function closeTurn(turn: Turn): RunOutcome {
  settleTurn(turn, turn.denied ? earlierRefusalText : 'Not run: the turn ended first.')
  if (turn.finishReason === pausedFinishReason) turn.finishReason = 'other'
  const finishReason = turn.finishReason as FinishReason
  turn.emit({ type: 'finish', finishReason, messageMetadata: lastMetadata(turn) })
  return outcome(turn, 'done')
}

export function failTurn(turn: Turn, thrown: unknown): RunOutcome {
  const { signal } = turn.input
  const ending = signal.aborted ? abortReason(signal.reason) : undefined
  if (ending === undefined || ending.status === 'failed') {
    return failWithError(turn, errorInfo(ending === undefined ? thrown : signal.reason))
  }
  settleTurn(turn, ending.text)
  const { askedAt } = ending
  const stopMs = askedAt === undefined ? undefined : Math.max(0, Date.now() - askedAt)
  turn.emit({
    type: 'message-metadata',
    messageMetadata: { ...lastMetadata(turn), [ending.status]: true, ...(stopMs !== undefined && { stopMs }) },
  })
  turn.emit({ type: 'abort', reason: ending.text })
  turn.emit({ type: 'finish', finishReason: 'other' })
  return outcome(turn, ending.status)
}

/** Restores the outcome of a turn that an earlier process ended but could not store. */
export function restoreOutcome(turn: Turn): RunOutcome {
  const { error, aborted, interrupted } = turn.fold.snapshot().metadata ?? {}
  if (error !== undefined) return outcome(turn, 'failed', error)
  return outcome(turn, aborted === true ? 'aborted' : interrupted === true ? 'interrupted' : 'done')
}

/** Gives every open call a result, so that no client shows a spinner forever. */
export function settleOpenCalls({ fold, emit }: Turn, errorText: string): void {
  for (const part of fold.snapshot().parts) {
    if (!('toolCallId' in part) || !('state' in part) || part.state === 'input-streaming') continue
    if (part.state.startsWith('output-')) continue
    emit({ type: 'tool-output-error', toolCallId: part.toolCallId, errorText })
  }
}

function failWithError(turn: Turn, error: ErrorInfo): RunOutcome {
  if (turn.finishReason !== 'content-filter') turn.finishReason = 'error'
  settleTurn(turn, `Not run: ${error.message}`)
  turn.emit({ type: 'message-metadata', messageMetadata: { ...lastMetadata(turn), error } })
  turn.emit({ type: 'error', errorText: error.message })
  turn.emit({ type: 'finish', finishReason: turn.finishReason as FinishReason })
  return outcome(turn, 'failed', error)
}

/** Keeps accepted steering messages for the next turn, even if no step follows in this one. */
function settleTurn(turn: Turn, openCalls: string): void {
  settleOpenCalls(turn, openCalls)
  while (turn.takeSteering(true)) turn.injectSteering()
}

function outcome({ fold }: Turn, status: RunOutcome['status'], error?: ErrorInfo): RunOutcome {
  return { status, message: cleanMessage(fold.snapshot(), { run: 'ended' }), ...(error !== undefined && { error }) }
}

function lastMetadata({ input, watch, finishReason, usage, stopped }: Turn): Metadata {
  const cost = costOf(usage, input.model.price)
  const below = input.meter?.below
  return {
    elapsedMs: watch.elapsedMs(),
    finishReason,
    ...(usage !== undefined && { usage }),
    ...(cost !== undefined && { cost }),
    ...(below !== undefined &&
      below.tokens > 0 && { subAgents: { tokens: below.tokens, ...(below.cost > 0 && { cost: below.cost }) } }),
    ...(stopped !== undefined && { stopped }),
  }
}

type FinishReason = NonNullable<Extract<Chunk, { type: 'finish' }>['finishReason']>

/** Runs the hooks for the end of the turn. Nothing is left to refuse, so a failing hook is only traced. */
export async function runEndHooks(input: RunInput, { status, message, error }: RunOutcome): Promise<void> {
  const { hooks = [] } = input
  // A process that shuts down has no time for hooks.
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
    // A stop ends the turn, but not its end hooks.
    { signal: new AbortController().signal },
  )
  if (decision === 'deny') input.trace?.({ level: 'warn', message: `at the end of the run: ${reason ?? 'denied'}` })
}

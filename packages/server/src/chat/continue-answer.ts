import type { WireAnswer } from './chat-request.ts'
import type { Answer, Ask, Store } from '@troupe/core'
import { type Chunk, isId, NamedError } from '@troupe/protocol'
import { eventsAfter } from '../runs/live-log.ts'
import type { LiveRun } from '../runs/run-manager.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { LogEvent } from '../runs/subscriber.ts'

interface ApprovalResponse {
  approvalId: string
  answer: Answer
}

/**
 * Handles a POST whose last message is the waiting answer. Submits its approval responses and streams the rest. If
 * another tab answered first, or the run continued or ended, streams from the first response this client missed.
 */
export async function continueAnswer(
  message: WireAnswer,
  sessionId: string,
  options: { store: Store; runs: RunManager },
): Promise<ChatTurn> {
  const { store, runs } = options
  const run = runs.get(sessionId, message.id) ?? runs.get(sessionId)
  const runId = run?.messageId === message.id ? run.id : (await store.runs.ofMessage(sessionId, message.id))[0]?.id
  const responses = runId === undefined ? [] : await withAsks(approvalResponses(message), runId, store)
  const closed = responses.filter(({ ask }) => ask.closedAt !== null)
  if (run === undefined || run.id !== runId) {
    const events = runId === undefined || closed.length === 0 ? [] : await eventsSince(closed, runId, store)
    if (!events.some(({ chunk }) => chunk.type === 'finish')) throw noWaitingRun(message.id)
    return { kind: 'replay', sessionId, messageId: message.id, events }
  }
  if (responses.length === 0 && run.status === 'waiting') {
    throw new NamedError('NothingAnswered', 'The message does not answer any open approval.', { status: 409 })
  }
  let after = run.log.number
  if (closed.length > 0) {
    await run.log.sync()
    const [first] = await eventsSince(closed, run.id, store)
    if (first !== undefined) after = first.number - 1
  }
  for (const { approvalId, answer } of responses) await submitAnswer(approvalId, answer, runs)
  return { kind: 'run', run, after }
}

/** Returns the message's approval responses for tool calls without a result. */
function approvalResponses(message: WireAnswer): ApprovalResponse[] {
  return message.parts.flatMap((part) => {
    const { state, approval } = (part ?? {}) as {
      state?: unknown
      approval?: { id?: unknown; approved?: unknown; reason?: unknown } | null
    }
    if (state !== 'approval-responded' || !isId(approval?.id) || typeof approval.approved !== 'boolean') return []
    const remark = typeof approval.reason === 'string' && approval.reason !== '' ? { remark: approval.reason } : {}
    return [{ approvalId: approval.id, answer: approval.approved ? { type: 'approve' } : { type: 'deny', ...remark } }]
  })
}

/** Accepts only asks of this run, whatever ids the message contains. */
async function withAsks(
  responses: ApprovalResponse[],
  runId: string,
  store: Store,
): Promise<(ApprovalResponse & { ask: Ask })[]> {
  const asks = await Promise.all(responses.map(({ approvalId }) => store.asks.get(approvalId)))
  return responses.flatMap((response, i) => {
    const ask = asks[i]
    return ask?.runId === runId && ask.kind === 'approval' ? [{ ...response, ask }] : []
  })
}

async function eventsSince(responses: ApprovalResponse[], runId: string, store: Store): Promise<LogEvent[]> {
  const ids = new Set(responses.map(({ approvalId }) => approvalId))
  const events = (await store.frames.read(runId)).flatMap((frame) => eventsAfter(frame.items, frame.from, frame.from))
  const first = events.findIndex(({ chunk }) => chunk.type === 'tool-approval-response' && ids.has(chunk.approvalId))
  return first === -1 ? [] : events.slice(first)
}

/** Another client may answer first. */
async function submitAnswer(approvalId: string, answer: Answer, runs: RunManager): Promise<void> {
  try {
    await runs.answer(approvalId, answer)
  } catch (error) {
    if (!(error instanceof NamedError && error.name === 'AskClosed')) throw error
  }
}

function noWaitingRun(messageId: string): NamedError {
  const text =
    'The last message is an answer, but no run is waiting for its approvals. Reload the messages of the chat.'
  return new NamedError('NoWaitingRun', text, { status: 409, data: { messageId } })
}

export type ChatTurn =
  | { kind: 'run'; run: LiveRun; after?: number }
  /** Several models answer the message. `started`: their runs, of which some may have ended. */
  | { kind: 'columns'; userMessageId: string; answers: readonly string[]; started?: readonly LiveRun[] }
  /** The answer already exists. Sends the part the client missed. */
  | { kind: 'replay'; sessionId: string; messageId: string; events: (LogEvent | { chunk: Chunk })[] }

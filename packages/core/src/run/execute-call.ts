import type { CallNotes } from '../protocol/message.ts'
import type { Tool, ToolContext } from '../tool.ts'
import { unwrapResult } from '../tool.ts'
import { askId } from './ask-id.ts'
import { carryApproval, openCallContext, waitForAnswer, type CallContext } from './call-context.ts'
import type { CallScope } from './call-scope.ts'
import { openCallSignal } from './call-signal.ts'
import { endingOf } from './ending.ts'
import { checkInput, type Call } from './parse-call.ts'
import { toJson } from './to-json.ts'

/** One call from permission to result: whatever a tool or a person does becomes that. Rejects when the log does. */
export async function executeCall(call: Call & { tool: Tool }, scope: CallScope): Promise<void> {
  const { toolCallId, tool } = call
  const notes: CallNotes = call.actionName === undefined ? {} : { actionName: call.actionName }
  const context = openCallContext(call, scope)
  try {
    await attempt(call, context, scope, notes)
  } catch (error) {
    scope.emit({
      type: 'tool-output-error',
      toolCallId,
      errorText: failureText(error, context.ctx.signal, scope.signal),
      ...metadata(notes),
    })
  } finally {
    context.close()
  }
  if (!tool.readOnly) await scope.input.log.sync()
}

async function attempt(
  call: Call & { tool: Tool },
  context: CallContext,
  scope: CallScope,
  notes: CallNotes,
): Promise<void> {
  const { tool } = call
  const { startedBefore } = scope
  if (startedBefore !== undefined && tool.recover === 'error') {
    throw new Error(
      'The process ended while this call ran, so its outcome is unknown. Look at what it did before trying again.',
    )
  }
  const input = parsed(tool, startedBefore?.input ?? call.input)
  const complaint = await tool.validate?.(input, context.ctx)
  if (typeof complaint === 'string') throw new Error(complaint)
  const permitted =
    startedBefore === undefined
      ? await permit(call, input, context.ctx, scope, notes)
      : { given: startedBefore.input, input }
  if (permitted === undefined) return
  const work = (): Promise<void> => perform(call, permitted, context, scope, notes)
  if (tool.readOnly || tool.concurrent) await work()
  else await scope.writes.run(work, scope.signal)
}

/** An input as it was given, and with the schema's defaults applied. */
interface Permitted {
  given: unknown
  input: unknown
}

/** Allow, ask or deny. Undefined means that the call already has its result. */
async function permit(
  call: Call & { tool: Tool },
  input: unknown,
  ctx: ToolContext,
  scope: CallScope,
  notes: CallNotes,
): Promise<Permitted | undefined> {
  const { tool, toolCallId } = call
  const asGiven = { given: call.input, input }
  const decision = await scope.input.decide({ tool, input }, ctx)
  ctx.granted = { confinement: decision.confinement ?? 'none', outside: decision.outside ?? [] }
  if (decision.decision === 'allow') return asGiven
  const id = askId(scope.input.runId, toolCallId, 0)
  if (decision.decision === 'deny' || scope.input.headless === true) {
    const reason =
      decision.decision === 'deny'
        ? decision.reason
        : `${decision.reason} Nobody is here to approve it, so it was not run.`
    scope.emit({
      type: 'tool-approval-request',
      approvalId: id,
      toolCallId,
      reason: decision.reason,
      isAutomatic: true,
    })
    refuse(reason)
    return undefined
  }
  const shown = toJson(
    tool.permission?.(input) ?? { title: tool.title?.(input) ?? call.actionName ?? tool.name },
  ) as ReturnType<NonNullable<Tool['permission']>>
  notes.permission = shown
  scope.emit({
    type: 'tool-approval-request',
    approvalId: id,
    toolCallId,
    reason: decision.reason,
    approvalDescriptor: shown,
  })
  const answer = await waitForAnswer({ kind: 'approval', ...shown }, id, call, scope, {
    reason: decision.reason,
    rule: decision.rule,
  })
  if (answer.type === 'deny') {
    refuse(answer.remark)
    await scope.input.log.sync()
    if (answer.remark === undefined) scope.deny(call)
    return undefined
  }
  scope.emit({ type: 'tool-approval-response', approvalId: id, approved: true })
  await scope.input.log.sync()
  if (answer.type !== 'approve') throw new Error(`An approval was answered with "${answer.type}".`)
  if (answer.data !== undefined) carryApproval(ctx, answer.data)
  if (answer.input === undefined) return asGiven
  const edited = checkInput(tool, answer.input)
  if ('complaint' in edited)
    throw new Error(`The person edited the input, and the edit does not fit: ${edited.complaint}`)
  notes.executedInput = answer.input
  return { given: answer.input, input: edited.input }

  function refuse(reason: string | undefined): void {
    scope.emit({
      type: 'tool-approval-response',
      approvalId: id,
      approved: false,
      ...(reason !== undefined && { reason }),
    })
    scope.emit({ type: 'tool-output-denied', toolCallId })
  }
}

/** Journals the start, runs the tool within its limits, and appends the result. */
async function perform(
  call: Call & { tool: Tool },
  { given, input }: Permitted,
  context: CallContext,
  scope: CallScope,
  notes: CallNotes,
): Promise<void> {
  const { tool, toolCallId } = call
  const { log } = scope.input
  scope.signal.throwIfAborted()
  if (!tool.readOnly) {
    log.note({ type: '$call', toolCallId, input: given })
    await log.sync()
    scope.signal.throwIfAborted()
  }
  const begun = performance.now()
  const limits = openCallSignal(tool, scope.signal)
  context.begin(limits)
  let returned: unknown
  try {
    returned = await raceAbort(runTool(tool, input, context.ctx), limits.signal, tool.stopMs)
  } finally {
    limits.clear()
  }
  const { output, modelText } = unwrapResult(returned)
  const failure = failureOf(output)
  if (failure !== undefined) throw new Error(failure)
  const text = modelText ?? tool.toModel?.(output, input)
  if (text !== undefined) notes.modelText = text
  const display = tool.display?.(output, input)
  if (display !== undefined) notes.display = toJson(display) as NonNullable<CallNotes['display']>
  const elapsedMs = Math.round(performance.now() - begun)
  if (elapsedMs > 0) notes.elapsedMs = elapsedMs
  scope.emit({ type: 'tool-output-available', toolCallId, output: toJson(output), ...metadata(notes) })
}

async function runTool(tool: Tool, input: unknown, ctx: ToolContext): Promise<unknown> {
  const running = tool.execute(input, ctx) as unknown
  if (!isGenerator(running)) return running
  for (;;) {
    const step = await running.next()
    if (step.done === true) return step.value
    if (ctx.signal.aborted && tool.stopMs === undefined) {
      await running.return(undefined)
      throw ctx.signal.reason
    }
    ctx.emit('tool-progress', { toolCallId: ctx.toolCallId, delta: step.value }, { transient: true })
  }
}

/** Loses to the signal, after `stopMs` or at once: a tool that ignores it cannot hold a stop back. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal, stopMs = 0): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const lose = (): void => reject(signal.reason as Error)
    const onAbort = (): void => {
      if (stopMs === 0) lose()
      else timer = setTimeout(lose, stopMs)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    work
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      })
      .then(resolve, reject)
  })
}

function parsed(tool: Tool, given: unknown): unknown {
  const checked = checkInput(tool, given)
  if ('complaint' in checked) throw new Error(checked.complaint)
  return checked.input
}

/** A call that had to end with its run is told so; a write that still could finish, or its time limit, speaks for itself. */
function failureText(error: unknown, own: AbortSignal, run: AbortSignal): string {
  if (own.aborted && run.aborted) return endingOf(run.reason).text
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'The tool threw nothing at all.')
}

/** `{ok: false, error}` is an error like a thrown one. */
function failureOf(output: unknown): string | undefined {
  if (typeof output !== 'object' || output === null || !('ok' in output) || output.ok !== false || !('error' in output))
    return undefined
  return typeof output.error === 'string' ? output.error : JSON.stringify(output.error)
}

/** Everything in the notes is JSON already, and a copy of what the tool holds. */
function metadata(notes: CallNotes): { toolMetadata?: { troupe: never } } {
  return Object.keys(notes).length === 0 ? {} : { toolMetadata: { troupe: { ...notes } as never } }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

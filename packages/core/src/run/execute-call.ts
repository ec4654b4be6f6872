import type { CallNotes } from '@troupe/protocol'
import { type HookVerdict, runHooks, withHookContext } from '../hooks/run-hooks.ts'
import { abortReason, readErrorCode } from '../tool/abort-reason.ts'
import { type Call, checkInput, toJson } from '../tool/parse-call.ts'
import { type Tool, type ToolContext, unwrapResult } from '../tool/tool.ts'
import { type CallContext, type CallScope, emitCallEvent, hookCallInfo, openCallContext } from './call-context.ts'
import { openCallSignal } from './call-signal.ts'
import {
  decideOn,
  denyCall,
  type EarlyPermission,
  type PendingCall,
  permitCall,
  type Permitted,
  recheckPermission,
} from './permit-call.ts'

/** One call from permission to result: whatever a tool, a hook or a person does becomes that. */
export interface CallExecution {
  /** Asks for permission while calls before it wait for a person. Rejects when the log does. */
  permitEarly(): Promise<void>
  /** Resolves with the output or the text of the error. Rejects when the log does. */
  execute(): Promise<unknown>
}

export function openExecution(call: Call & { tool: Tool }, scope: CallScope): CallExecution {
  const { toolCallId, tool } = call
  const notes: CallNotes = call.actionName === undefined ? {} : { actionName: call.actionName }
  const context = openCallContext(call, scope)
  const course: ActiveCall = { call, ctx: context.ctx, scope, notes }
  let early: Promise<EarlyPermission | undefined> | undefined
  /** Set when the call has its result before its turn. */
  let over: { result: unknown } | undefined

  return {
    async permitEarly() {
      try {
        early = permitCall({ ...course, early: true }, { given: call.input, input: parseInput(tool, call.input) })
        if ((await early) === undefined) over = { result: undefined }
      } catch (error) {
        over = { result: await fail(error) }
      }
    },
    async execute() {
      let result: unknown
      try {
        // Its failure is told by `permitEarly`.
        const permitted = await early?.catch(() => undefined)
        if (over !== undefined) return over.result
        result = await permitAndRun(course, context, permitted)
      } catch (error) {
        result = await fail(error)
      } finally {
        context.close()
      }
      if (!tool.readOnly) await scope.input.log.sync()
      return result
    },
  }

  async function fail(error: unknown): Promise<string> {
    const errorCode = readErrorCode(error)
    if (errorCode !== undefined) notes.errorCode = errorCode
    const text = failureText(error, context.ctx.signal, scope.signal)
    const errorText = withHookContext(text, await hooksOnFailure(course, text))
    scope.emit({ type: 'tool-output-error', toolCallId, errorText, ...metadata(notes) })
    emitCallEvent('tool:execution:error', call, scope, { title: callTitle(course), content: errorText })
    return errorText
  }
}

/** A call on its way. */
interface ActiveCall extends PendingCall {
  /** Set when it runs. */
  running?: Permitted
  /** The hooks have heard of its result. */
  heard?: true
}

async function permitAndRun(
  course: ActiveCall,
  context: CallContext,
  early: EarlyPermission | undefined,
): Promise<unknown> {
  const { tool } = course.call
  const permitted = await (early === undefined ? permit(course) : recheckPermission(course, early))
  if (permitted === undefined) return undefined
  const work = (): Promise<unknown> => runCall(course, permitted, context)
  return tool.readOnly || tool.concurrent ? work() : course.scope.writes.run(work, course.scope.signal)
}

async function permit(course: ActiveCall): Promise<Permitted | undefined> {
  const { call, ctx, scope } = course
  const { tool } = call
  const { startedBefore } = scope
  if (startedBefore !== undefined && tool.recover === 'error') {
    throw new Error(
      'The process ended while this call ran, so its outcome is unknown. Look at what it did before trying again.',
    )
  }
  const given = startedBefore?.input ?? call.input
  const first = { given, input: parseInput(tool, given) }
  const complaint = await tool.validate?.(first.input, ctx)
  if (typeof complaint === 'string') throw new Error(complaint)
  return startedBefore === undefined ? permitCall(course, first) : permitAfterRestart(course, { ...first, context: [] })
}

/** It was permitted in an earlier process. What is denied by now stays so, and what it is granted is what holds now. */
async function permitAfterRestart(course: ActiveCall, permitted: Permitted): Promise<Permitted | undefined> {
  const { decision, reason } = await decideOn(course, permitted)
  if (decision === 'deny') return denyCall(course, reason)
  if (JSON.stringify(permitted.given) !== JSON.stringify(course.call.input))
    course.notes.executedInput = permitted.given
  return permitted
}

/** Journals the start, runs the tool within its limits, and appends the result. */
async function runCall(course: ActiveCall, permitted: Permitted, context: CallContext): Promise<unknown> {
  const { call, ctx, scope, notes } = course
  const { tool, toolCallId } = call
  const { given, input } = permitted
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
  course.running = permitted
  emitCallEvent('tool:execution:start', call, scope, { input: given })
  let returned: unknown
  try {
    returned = await raceAbort(runTool(tool, input, ctx), limits.signal, tool.stopMs)
  } finally {
    limits.clear()
  }
  const unwrapped = unwrapResult(returned)
  const failure = outputError(unwrapped.output)
  if (failure !== undefined) throw new Error(failure)
  const text = unwrapped.modelText ?? tool.toModel?.(unwrapped.output, input)
  if (text !== undefined) notes.modelText = text
  const display = tool.display?.(unwrapped.output, input)
  if (display !== undefined) notes.display = toJson(display) as NonNullable<CallNotes['display']>
  const elapsedMs = Math.max(0, Math.round(performance.now() - begun - context.waitedMs()))
  if (elapsedMs > 0) notes.elapsedMs = elapsedMs
  const output = toJson(unwrapped.output)
  const added = await hooksOnResult(course, output, elapsedMs)
  if (added.length > 0) notes.modelText = withHookContext(notes.modelText ?? outputText(output), added)
  scope.emit({ type: 'tool-output-available', toolCallId, output, ...metadata(notes) })
  emitCallEvent('tool:execution:complete', call, scope, {
    title: callTitle(course),
    ...(display?.summary !== undefined && { summary: display.summary }),
    ...(display?.content !== undefined && { content: display.content }),
    output,
    elapsedMs,
  })
  return output
}

/** What hooks add to a result. One that denies, or fails, withholds it from the model. */
async function hooksOnResult(course: ActiveCall, output: unknown, elapsedMs: number): Promise<HookVerdict['context']> {
  const before = course.running?.context ?? []
  const verdict = await afterHooks(course, { output, elapsedMs })
  if (verdict.decision === 'deny')
    throw new Error(`The call ran, and its result is withheld: ${verdict.reason ?? 'a hook says so.'}`)
  return [...before, ...verdict.context]
}

/** What hooks add to an error, where the tool was reached and the run goes on. */
async function hooksOnFailure(course: ActiveCall, error: string): Promise<HookVerdict['context']> {
  const { running, heard, scope } = course
  if (running === undefined || heard === true || scope.signal.aborted) return running?.context ?? []
  const { context } = await afterHooks(course, { error }).catch((): HookVerdict => ({ context: [] }))
  return [...running.context, ...context]
}

async function afterHooks(
  course: ActiveCall,
  result: { output?: unknown; error?: string; elapsedMs?: number },
): Promise<HookVerdict> {
  const { call, ctx, scope, running } = course
  const { hooks = [] } = scope.input
  course.heard = true
  if (hooks.length === 0 || running === undefined) return { context: [] }
  const facts = hookCallInfo(call, running.given, scope)
  return runHooks(
    hooks,
    { event: 'after-call', ...result, ...facts },
    { call: { tool: call.tool, ctx }, check: () => running.input, signal: scope.signal },
  )
}

function callTitle({ call, notes, running }: ActiveCall): string {
  const named = running === undefined ? undefined : call.tool.title?.(running.input)
  return notes.display?.title ?? notes.actionName ?? named ?? call.tool.name
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
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

function parseInput(tool: Tool, given: unknown): unknown {
  const checked = checkInput(tool, given)
  if ('complaint' in checked) throw new Error(checked.complaint)
  return checked.input
}

/** A call that had to end with its run is told so; a write that still could finish, or its time limit, speaks for itself. */
function failureText(error: unknown, own: AbortSignal, run: AbortSignal): string {
  if (own.aborted && run.aborted) return abortReason(run.reason).text
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'The tool threw nothing at all.')
}

/** `{ok: false, error}` is an error like a thrown one. */
function outputError(output: unknown): string | undefined {
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

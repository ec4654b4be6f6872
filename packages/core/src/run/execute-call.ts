import path from 'node:path'
import type { CallNotes } from '@troupe/protocol'
import { type HookVerdict, runHooks, withHookContext } from '../hooks/run-hooks.ts'
import { abortReason, readErrorCode } from '../tool/abort-reason.ts'
import { type Call, checkInput, toJson } from '../tool/parse-call.ts'
import { type Tool, type ToolContext, unwrapResult } from '../tool/tool.ts'
import { type CallContext, type CallScope, emitCallEvent, hookCallInfo, openCallContext } from './call-context.ts'
import { openCallSignal } from './tree-state.ts'
import {
  decideOn,
  denyCall,
  type EarlyPermission,
  type PendingCall,
  permitCall,
  type Permitted,
  recheckPermission,
} from './permit-call.ts'

/** One call from permission to result. Every action of a tool, a hook or a person ends up in the result. */
export interface CallExecution {
  /** Asks for permission while earlier calls wait for a person. Rejects when the log does. */
  permitEarly(): Promise<void>
  /** Resolves to the output or the error text. Rejects when the log does. */
  execute(): Promise<unknown>
}

export function openExecution(call: Call & { tool: Tool }, scope: CallScope): CallExecution {
  const { toolCallId, tool } = call
  const notes: CallNotes = call.actionName === undefined ? {} : { actionName: call.actionName }
  const context = openCallContext(call, scope)
  const active: ActiveCall = { call, ctx: context.ctx, scope, notes }
  let early: Promise<EarlyPermission | undefined> | undefined
  /** Set when the call gets its result before its turn. */
  let over: { result: unknown } | undefined

  return {
    async permitEarly() {
      try {
        early = permitCall({ ...active, early: true }, { given: call.input, input: parseInput(tool, call.input) })
        if ((await early) === undefined) over = { result: undefined }
      } catch (error) {
        over = { result: await fail(error) }
      }
    },
    async execute() {
      let result: unknown
      try {
        // `permitEarly` reports the failure.
        const permitted = await early?.catch(() => undefined)
        if (over !== undefined) return over.result
        result = await permitAndRun(active, context, permitted)
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
    scope.input.onError?.(error)
    const errorCode = readErrorCode(error)
    if (errorCode !== undefined) notes.errorCode = errorCode
    const text = failureText(error, context.ctx.signal, scope.signal)
    const errorText = withHookContext(text, await hooksOnFailure(active, text))
    scope.emit({ type: 'tool-output-error', toolCallId, errorText, ...metadata(notes) })
    emitCallEvent('tool:execution:error', call, scope, { title: callTitle(active), content: errorText })
    return errorText
  }
}

interface ActiveCall extends PendingCall {
  running?: Permitted
  afterHooksRan?: true
}

async function permitAndRun(
  active: ActiveCall,
  context: CallContext,
  early: EarlyPermission | undefined,
): Promise<unknown> {
  const { tool } = active.call
  const permitted = await (early === undefined ? permit(active) : recheckPermission(active, early))
  if (permitted === undefined) return undefined
  const work = (): Promise<unknown> => runCall(active, permitted, context)
  return tool.readOnly || tool.concurrent ? work() : active.scope.writes.run(work, active.scope.signal)
}

async function permit(active: ActiveCall): Promise<Permitted | undefined> {
  const { call, ctx, scope } = active
  const { tool } = call
  const { startedBefore } = scope
  if (startedBefore !== undefined && tool.recover === 'error') {
    throw new Error(
      'The process ended during this tool call, so its outcome is unknown. Check what it did before you try again.',
    )
  }
  const given = startedBefore?.input ?? call.input
  const first = { given, input: parseInput(tool, given) }
  const complaint = await tool.validate?.(first.input, ctx)
  if (typeof complaint === 'string') throw new Error(complaint)
  return startedBefore === undefined ? permitCall(active, first) : permitAfterRestart(active, { ...first, context: [] })
}

/** Rechecks a call that an earlier process permitted. A current deny wins, and the current grants apply. */
async function permitAfterRestart(active: ActiveCall, permitted: Permitted): Promise<Permitted | undefined> {
  const { decision, reason } = await decideOn(active, permitted)
  if (decision === 'deny') return denyCall(active, reason)
  if (JSON.stringify(permitted.given) !== JSON.stringify(active.call.input))
    active.notes.executedInput = permitted.given
  return permitted
}

async function runCall(active: ActiveCall, permitted: Permitted, context: CallContext): Promise<unknown> {
  const { call, ctx, scope, notes } = active
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
  active.running = permitted
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
  const problems = ctx.code === undefined ? undefined : await problemsAfter(tool, input, ctx)
  if (problems !== undefined) notes.modelText = `${notes.modelText ?? outputText(output)}\n\n${problems}`
  if (notes.partly !== undefined)
    notes.modelText = `${notes.modelText ?? outputText(output)}\n\n${partlyNote(notes.partly)}`
  const added = await hooksOnResult(active, output, elapsedMs)
  if (added.length > 0) notes.modelText = withHookContext(notes.modelText ?? outputText(output), added)
  scope.emit({ type: 'tool-output-available', toolCallId, output, ...metadata(notes) })
  emitCallEvent('tool:execution:complete', call, scope, {
    title: callTitle(active),
    summary: display?.summary,
    content: display?.content,
    output,
    elapsedMs,
  })
  return output
}

/** Tells the language servers which files the call read or changed. Returns the problems that it caused. */
async function problemsAfter(tool: Tool, input: unknown, ctx: ToolContext): Promise<string | undefined> {
  const { cwd } = ctx.state
  const accesses = tool.touches?.(input, { cwd }) ?? []
  const paths = (kind: 'read' | 'write'): string[] =>
    accesses.flatMap((access) => (access.kind === kind ? [path.resolve(cwd, access.path)] : []))
  for (const file of paths('read').slice(0, maxNotedFiles)) ctx.code?.noteRead(file)
  const changed = paths('write')
  return changed.length === 0 ? undefined : ctx.code?.problemsAfter(changed, ctx.signal)
}

/** A call that reads more is a search. */
const maxNotedFiles = 3

/**
 * Runs the hooks on a result and returns their additions. A hook that denies or fails withholds the result from the
 * model.
 */
async function hooksOnResult(active: ActiveCall, output: unknown, elapsedMs: number): Promise<HookVerdict['context']> {
  const before = active.running?.context ?? []
  const verdict = await afterHooks(active, { output, elapsedMs })
  if (verdict.decision === 'deny')
    throw new Error(`The tool call ran, but its result is withheld: ${verdict.reason ?? 'a hook blocked it.'}`)
  return [...before, ...verdict.context]
}

/**
 * Runs the hooks on an error and returns their additions. Applies only if the tool was reached and the run continues.
 */
async function hooksOnFailure(active: ActiveCall, error: string): Promise<HookVerdict['context']> {
  const { running, afterHooksRan, scope } = active
  if (running === undefined || afterHooksRan === true || scope.signal.aborted) return running?.context ?? []
  const { context } = await afterHooks(active, { error }).catch((): HookVerdict => ({ context: [] }))
  return [...running.context, ...context]
}

async function afterHooks(
  active: ActiveCall,
  result: { output?: unknown; error?: string; elapsedMs?: number },
): Promise<HookVerdict> {
  const { call, ctx, scope, running } = active
  const { hooks = [] } = scope.input
  active.afterHooksRan = true
  if (hooks.length === 0 || running === undefined) return { context: [] }
  const facts = hookCallInfo(call, running.given, scope)
  return runHooks(
    hooks,
    { event: 'after-call', ...result, ...facts },
    { call: { tool: call.tool, ctx }, check: () => running.input, signal: scope.signal },
  )
}

/** Tells the model which part of its change a person rejected. */
function partlyNote({ accepted, total, rejected, remark }: NonNullable<CallNotes['partly']>): string {
  const said = remark === undefined ? '' : `\nThe user said: ${remark}`
  return `The user accepted ${accepted} of ${total} changes. These were rejected and not made:\n${rejected}${said}`
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

/**
 * Rejects when the signal aborts, immediately or after `stopMs`, so a tool that ignores the signal cannot delay a stop.
 */
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

/** Reports that a call ended with its run. A write that still finished, or a time limit, keeps its own error. */
function failureText(error: unknown, own: AbortSignal, run: AbortSignal): string {
  if (own.aborted && run.aborted) return abortReason(run.reason).text
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'The tool failed without an error.')
}

/** Treats `{ok: false, error}` like a thrown error. */
function outputError(output: unknown): string | undefined {
  if (typeof output !== 'object' || output === null || !('ok' in output) || output.ok !== false || !('error' in output))
    return undefined
  return typeof output.error === 'string' ? output.error : JSON.stringify(output.error)
}

/** The notes are already JSON, copied from the tool's data. */
function metadata(notes: CallNotes): { toolMetadata?: { troupe: never } } {
  return Object.keys(notes).length === 0 ? {} : { toolMetadata: { troupe: { ...notes } as never } }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

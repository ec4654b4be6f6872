import type { Answer, Ask } from '../asks.ts'
import { isStoredData } from '../protocol/data-parts.ts'
import type { CallNotes, Chunk } from '../protocol/message.ts'
import type { AskRequest, Tool, ToolContext } from '../tool.ts'
import { unwrapResult } from '../tool.ts'
import { askId } from './ask-id.ts'
import { checkInput, type Call } from './parse-call.ts'
import { processStartTime } from './process-start-time.ts'
import type { RunInput } from './run-input.ts'
import type { WriteLock } from './write-lock.ts'

/** What a call needs of the run around it. */
export interface CallScope {
  input: RunInput
  /** The fields of `ctx` that all calls of the run share. */
  base: Omit<ToolContext, 'toolCallId' | 'signal' | 'emit' | 'ask' | 'process' | 'approval'>
  writes: WriteLock
  emit(chunk: Chunk): void
  /** Marks the call as waiting for a person until the returned function is called. */
  waiting(): () => void
  /** A person refused without a remark: the turn ends. */
  deny(call: Call): void
  /** Set when this execution is found in the journal of an earlier process. */
  startedBefore?: { input: unknown }
}

/** One call from permission to result. Never throws: whatever happens becomes the call's result. */
export async function executeCall(call: Call & { tool: Tool }, scope: CallScope): Promise<void> {
  const { emit } = scope
  const { toolCallId, tool } = call
  const notes: CallNotes = call.actionName === undefined ? {} : { actionName: call.actionName }
  const fail = (errorText: string): void => emit({ type: 'tool-output-error', toolCallId, errorText, ...metadata(notes) })
  try {
    const checked = checkInput(tool, call.input)
    if ('complaint' in checked) return fail(checked.complaint)
    const ctx = callContext(call, scope)
    const complaint = await tool.validate?.(checked.input, ctx)
    if (typeof complaint === 'string') return fail(complaint)

    const permitted = scope.startedBefore === undefined ? await permit(call, checked.input, ctx, scope, notes) : { input: scope.startedBefore.input }
    if (permitted === undefined) return
    if ('complaint' in permitted) return fail(permitted.complaint)
    if (scope.startedBefore !== undefined && tool.recover === 'error') {
      return fail('The process ended while this call ran, so its outcome is unknown. Look at what it did before trying again.')
    }
    const work = (): Promise<void> => perform(call, permitted.input, ctx, scope, notes)
    if (tool.readOnly || tool.concurrent) await work()
    else await scope.writes.run(work)
  } catch (error) {
    fail(failureText(error, scope.input.signal))
  }
  if (!tool.readOnly) await scope.input.log.sync()
}

type Permitted = { input: unknown } | { complaint: string } | undefined

/** Allow, ask or deny. Undefined means that the call already has its result. */
async function permit(call: Call & { tool: Tool }, input: unknown, ctx: ToolContext, scope: CallScope, notes: CallNotes): Promise<Permitted> {
  const { tool, toolCallId } = call
  const decision = await scope.input.decide({ tool, input }, ctx)
  if (decision.decision === 'allow') return { input }
  const id = askId(scope.input.runId, toolCallId, 0)
  if (decision.decision === 'deny' || scope.input.headless === true) {
    const reason = decision.decision === 'deny' ? decision.reason : `${decision.reason} Nobody is here to approve it, so it was not run.`
    scope.emit({ type: 'tool-approval-request', approvalId: id, toolCallId, reason: decision.reason, isAutomatic: true })
    refuse(reason)
    return undefined
  }
  const shown = tool.permission?.(input) ?? { title: tool.title?.(input) ?? call.actionName ?? tool.name }
  notes.permission = shown
  scope.emit({ type: 'tool-approval-request', approvalId: id, toolCallId, reason: decision.reason, approvalDescriptor: shown })
  const answer = await wait({ kind: 'approval', ...shown }, id, call, scope, { reason: decision.reason, rule: decision.rule })
  if (answer.type === 'deny') {
    refuse(answer.remark)
    await scope.input.log.sync()
    if (answer.remark === undefined) scope.deny(call)
    return undefined
  }
  scope.emit({ type: 'tool-approval-response', approvalId: id, approved: true })
  await scope.input.log.sync()
  if (answer.type !== 'approve') return { complaint: `An approval was answered with "${answer.type}".` }
  if (answer.data !== undefined) carryApproval(ctx, answer.data)
  if (answer.input === undefined) return { input }
  const edited = checkInput(tool, answer.input)
  if ('complaint' in edited) return { complaint: `The person edited the input, and the edit does not fit: ${edited.complaint}` }
  notes.executedInput = edited.input
  return edited

  function refuse(reason: string | undefined): void {
    scope.emit({ type: 'tool-approval-response', approvalId: id, approved: false, ...(reason !== undefined && { reason }) })
    scope.emit({ type: 'tool-output-denied', toolCallId })
  }
}

/** Journals the start, runs the tool within its limits, and appends the result. */
async function perform(call: Call & { tool: Tool }, input: unknown, ctx: ToolContext, scope: CallScope, notes: CallNotes): Promise<void> {
  const { tool, toolCallId } = call
  const { log, signal } = scope.input
  signal.throwIfAborted()
  if (!tool.readOnly) {
    log.note({ type: '$call', toolCallId, input })
    await log.sync()
    signal.throwIfAborted()
  }
  const begun = performance.now()
  const limit = tool.timeout === undefined ? undefined : timeLimit(tool.timeout, signal)
  if (limit !== undefined) (ctx as { signal: AbortSignal }).signal = limit.signal
  let returned: unknown
  try {
    returned = await raceAbort(runTool(tool, input, ctx), ctx.signal)
  } finally {
    limit?.clear()
  }
  const { output, modelText } = unwrapResult(returned)
  const failure = failureOf(output)
  if (failure !== undefined) throw new Error(failure)
  const text = modelText ?? tool.toModel?.(output, input)
  if (text !== undefined) notes.modelText = text
  const display = tool.display?.(output, input)
  if (display !== undefined) notes.display = display
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
    if (ctx.signal.aborted) {
      await running.return(undefined)
      throw ctx.signal.reason
    }
    ctx.emit('tool-progress', { toolCallId: ctx.toolCallId, delta: step.value }, { transient: true })
  }
}

function callContext(call: Call, scope: CallScope): ToolContext {
  const { input, emit } = scope
  let asked = 0
  const ctx: ToolContext = {
    ...scope.base,
    toolCallId: call.toolCallId,
    signal: input.signal,
    emit(name, data, options = {}) {
      const transient = options.transient ?? !isStoredData(name)
      emit({ type: `data-${name}`, ...(options.id !== undefined && { id: options.id }), data, ...(transient && { transient }) } as Chunk)
    },
    ask(request) {
      asked++
      return ask(request, askId(input.runId, call.toolCallId, asked), call, scope)
    },
    async process(pid) {
      input.log.note({ type: '$process', toolCallId: call.toolCallId, pid, startTime: processStartTime(pid) ?? '' })
      await input.log.sync()
    },
  }
  return ctx
}

/** What an approval carried can be read once, by the call it was given for. */
function carryApproval(ctx: ToolContext, data: unknown): void {
  let carried: unknown = data
  Object.defineProperty(ctx, 'approval', {
    enumerable: true,
    get() {
      const value = carried
      carried = undefined
      return value
    },
  })
}

async function ask(request: AskRequest, id: string, call: Call, scope: CallScope): Promise<Answer> {
  const { toolCallId, toolName } = call
  if (scope.input.headless === true) throw new Error(`${toolName} needs an answer from a person, and nobody is here to give it.`)
  const { kind, title, content } = request
  if (kind === 'approval') throw new Error('Approvals are asked for by the run, not by a tool.')
  scope.emit({ type: 'data-ask', id, data: { id, kind, toolCallId, toolName, title, content: toJson(content) } })
  const answer = await wait(request, id, call, scope, { reason: title, rule: null })
  scope.emit({ type: 'data-ask-answer', id, data: { id, toolCallId, answer } })
  await scope.input.log.sync()
  return answer
}

async function wait(request: AskRequest, id: string, call: Call, scope: CallScope, why: Pick<Ask, 'reason' | 'rule'>): Promise<Answer> {
  const { input } = scope
  await input.log.sync()
  let resume: (() => void) | undefined
  try {
    return await input.asks.ask(
      {
        id,
        kind: request.kind,
        sessionId: input.session.id,
        runId: input.runId,
        agentPath: input.frames.map((frame) => frame.name),
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        input: call.input,
        title: request.title,
        ...(request.summary !== undefined && { summary: request.summary }),
        content: request.content ?? null,
        ...why,
        createdAt: Date.now(),
        closedAt: null,
        answer: null,
      },
      input.signal,
      () => {
        resume = scope.waiting()
      },
    )
  } finally {
    resume?.()
  }
}

/** Loses to the signal at once: a tool that ignores it cannot hold a stop back. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => {
        signal.removeEventListener('abort', onAbort)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error as Error)
      },
    )
  })
}

function timeLimit(ms: number, signal: AbortSignal): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`Timed out after ${ms / 1000} s; the work was cancelled.`)), ms)
  return { signal: AbortSignal.any([signal, controller.signal]), clear: () => clearTimeout(timer) }
}

export const stoppedText = 'Stopped by the person before it finished.'

function failureText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return stoppedText
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : JSON.stringify(error)
}

/** `{ok: false, error}` is an error like a thrown one. */
function failureOf(output: unknown): string | undefined {
  if (typeof output !== 'object' || output === null || !('ok' in output) || output.ok !== false || !('error' in output)) return undefined
  return typeof output.error === 'string' ? output.error : JSON.stringify(output.error)
}

/** What goes into the log must be what comes out of it. */
function toJson(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

function metadata(notes: CallNotes): { toolMetadata?: { troupe: never } } {
  return Object.keys(notes).length === 0 ? {} : { toolMetadata: { troupe: toJson(notes) as never } }
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

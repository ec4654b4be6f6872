import { createHash } from 'node:crypto'
import { type Chunk, isStoredData } from '@troupe/protocol'
import type { HookOccasion } from '../hooks/hook.ts'
import { runHooks } from '../hooks/run-hooks.ts'
import { maxPageSeconds, pageSeconds } from '../page/ask-page.ts'
import { processStartTime } from '../process/start-process.ts'
import type { Answer, Ask } from '../tool/asks.ts'
import { type Call, toJson } from '../tool/parse-call.ts'
import { aliasKey } from '../tool/tool-aliases.ts'
import type { AskRequest, ToolContext } from '../tool/tool.ts'
import type { CallMark, RunEventMap, RunEventName, RunInput } from './run-input.ts'
import type { WriteLock, CallSignal } from './tree-state.ts'
import { hookRunInfo, type Turn } from './turn.ts'

export interface CallContext {
  ctx: ToolContext
  begin(signal: CallSignal): void
  /** Time the tool has waited for people, in milliseconds. */
  waitedMs(): number
  /** Ends the call. Events and asks from a tool that keeps running are ignored or rejected. */
  close(): void
}

export function openCallContext(call: Call, scope: CallScope): CallContext {
  const { input } = scope
  const { toolCallId } = call
  let running: CallSignal | undefined
  let closed = false
  let asked = 0
  let waitedMs = 0
  const ctx: ToolContext = {
    ...scope.base,
    toolCallId,
    resumed: scope.startedBefore === undefined ? undefined : true,
    signal: scope.signal,
    get state() {
      return scope.state()
    },
    get agents() {
      return input.agents?.({ toolCallId, signal: ctx.signal, waiting: scope.waiting })
    },
    emit(name, data, options = {}) {
      if (closed) return
      const transient = options.transient ?? !isStoredData(name)
      const { id } = options
      scope.emit({
        type: `data-${name}`,
        id,
        data: toJson(data),
        transient: transient || undefined,
      } as Chunk)
    },
    async ask(request) {
      if (closed) throw new Error('The tool call has ended, so nothing is waiting for this answer.')
      asked++
      running?.pause()
      const since = performance.now()
      try {
        return await askFromTool(request, askId(input.runId, toolCallId, asked), call, ctx, scope)
      } finally {
        waitedMs += performance.now() - since
        running?.resume()
      }
    },
    async process(pid) {
      input.log.note({ type: '$process', toolCallId, pid, startTime: processStartTime(pid) ?? '' })
      await input.log.sync()
    },
  }
  return {
    ctx,
    begin(signal) {
      running = signal
      ;(ctx as { signal: AbortSignal }).signal = signal.signal
    },
    waitedMs: () => waitedMs,
    close() {
      closed = true
    },
  }
}

/** Attaches data from an approval. The approved call can read it once. */
export function attachApproval(ctx: ToolContext, data: unknown): void {
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

async function askFromTool(
  request: AskRequest,
  id: string,
  call: Call,
  ctx: ToolContext,
  scope: CallScope,
): Promise<Answer> {
  const { toolCallId, toolName } = call
  if (scope.input.headless === true)
    throw new Error(`${toolName} needs an answer from the user, but nobody is available.`)
  const { kind, title } = request
  if (kind === 'approval') throw new Error('Approvals are requested by the run, not by a tool.')
  const content = toJson(request.content)
  await checkAskHooks({ ...request, content }, call, ctx, scope)
  scope.emit({ type: 'data-ask', id, data: { id, kind, toolCallId, toolName, title, content } })
  const answer = await waitForAnswer(
    { ...request, ...pageTimeout(request), content },
    id,
    call,
    scope,
    { reason: title, rule: null },
    ctx.signal,
  )
  scope.emit({ type: 'data-ask-answer', id, data: { id, toolCallId, answer } })
  await scope.input.log.sync()
  if (isRefusal(answer)) scope.deny(call)
  return answer
}

/** Pages time out after one minute by default and after one day at most. People have no time limit. */
function pageTimeout({ kind, timeoutMs }: AskRequest): { timeoutMs?: number } {
  if (kind !== 'browser') return {}
  return { timeoutMs: Math.min(Math.max(timeoutMs ?? pageSeconds * 1000, 1), maxPageSeconds * 1000) }
}

/** True if the answer ends the turn. A person who refuses without a remark wants to speak next. */
export function isRefusal(answer: unknown): boolean {
  const { type, remark } = (answer ?? {}) as Partial<Extract<Answer, { type: 'deny' }>>
  return type === 'deny' && remark === undefined
}

/** Hooks can block an ask, but cannot answer it. */
async function checkAskHooks(request: AskRequest, call: Call, ctx: ToolContext, scope: CallScope): Promise<void> {
  const { hooks = [] } = scope.input
  if (hooks.length === 0) return
  const { kind, title, content } = request
  const { decision, reason } = await runHooks(
    hooks,
    { event: 'ask', kind, title, reason: title, rule: null, content, ...hookCallInfo(call, call.input, scope) },
    { call: call.tool && { tool: call.tool, ctx }, signal: ctx.signal },
  )
  if (decision === 'deny') throw new Error(reason)
}

/** Everything before the ask is durable before anyone is asked. */
export async function waitForAnswer(
  request: AskRequest,
  id: string,
  call: Call,
  scope: CallScope,
  why: Pick<Ask, 'reason' | 'rule' | 'remember' | 'commands'>,
  signal: AbortSignal = scope.signal,
): Promise<Answer> {
  const { input } = scope
  const agentId = input.frames.at(-1)?.agentId
  await input.log.sync()
  let resume: (() => void) | undefined
  let asked: (() => void) | undefined
  try {
    return await input.asks.ask(
      {
        id,
        kind: request.kind,
        sessionId: input.session.id,
        runId: input.runId,
        agentPath: input.frames.map((frame) => frame.name),
        agentId,
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        input: call.input,
        title: request.title,
        summary: request.summary,
        content: request.content ?? null,
        ...why,
        client: input.client,
        tab: input.tab,
        timeoutMs: request.timeoutMs,
        createdAt: Date.now(),
        closedAt: null,
        answer: null,
      },
      AbortSignal.any([signal, scope.askSignal(call)]),
      () => {
        if (request.kind === 'approval' && input.asks.together === true) asked = scope.asking()
        resume = scope.waiting()
      },
    )
  } finally {
    asked?.()
    resume?.()
  }
}

export interface CallScope {
  input: RunInput
  base: Omit<
    ToolContext,
    'toolCallId' | 'signal' | 'emit' | 'ask' | 'process' | 'approval' | 'granted' | 'agents' | 'state'
  >
  /** Created on first access. */
  state: () => ToolContext['state']
  /** Aborted with the run, or when the model call that produced this call fails. */
  signal: AbortSignal
  writes: WriteLock
  emit: (chunk: Chunk) => void
  waiting: () => () => void
  /** Marks the call as asking for approval until the returned function is called. Later calls may ask meanwhile. */
  asking: () => () => void
  /** Handles a refusal without a remark: ends the turn and releases later calls of the step that wait for a person. */
  deny: (call: Call) => void
  /** Aborted when the asks of this call no longer need an answer. */
  askSignal: (call: Call) => AbortSignal
  /** Input of an execution that an earlier process started, found in the journal. */
  startedBefore?: { input: unknown }
}

export function openCallScope(turn: Turn): Omit<CallScope, 'signal' | 'deny' | 'askSignal' | 'asking'> {
  const { input, emit, waiting, state } = turn
  return { input, emit, waiting, state, writes: turn.writes(), base: sharedContext(turn) }
}

function sharedContext({ input, attempt, fold, step, spend }: Turn): CallScope['base'] {
  return {
    session: input.session,
    workspace: input.workspace,
    project: input.project,
    projects: input.projects,
    client: input.client,
    tab: input.tab,
    page: input.page,
    run: { id: input.runId, attempt, step },
    frames: input.frames,
    agent: input.frames.at(-1) as RunInput['frames'][number],
    chatModel: input.model,
    messageId: input.messageId,
    lastOutput: (toolName) => lastOutput([...input.history, fold.snapshot()], toolName),
    spend,
    settings: input.settings ?? (() => undefined),
    blobs: input.blobs,
    media: input.media,
    browser: input.browser,
    code: input.code,
    documents: input.documents,
    printer: input.printer,
    queries: input.queries,
    pictures: input.pictures,
    transcription: input.transcription,
    mode: input.mode,
    credentials: input.credentials ?? (() => Promise.resolve(undefined)),
  }
}

function lastOutput(messages: readonly { parts: readonly object[] }[], toolName: string): unknown {
  for (const { parts } of messages.toReversed()) {
    const part = parts.findLast(
      (candidate) => 'output' in candidate && isToolPart(candidate as unknown as { type: string }, toolName),
    )
    if (part !== undefined) return (part as { output: unknown }).output
  }
  return undefined
}

/** Some models know our tools by other names, and the parts of their calls carry those names. */
function isToolPart(part: { type: string }, toolName: string): boolean {
  return part.type.startsWith('tool-') && aliasKey(part.type.slice('tool-'.length)) === aliasKey(toolName)
}

type HookCallInfo = Omit<Extract<HookOccasion, { event: 'before-call' }>, 'event'>

export function hookCallInfo(call: Call, given: unknown, scope: CallScope): HookCallInfo {
  const { toolCallId, toolName } = call
  return { ...hookRunInfo(scope.input), cwd: scope.state().cwd, toolCallId, toolName, input: given }
}

/** Emits an event about a call. A failing listener is traced and does not affect the run. */
export function emitCallEvent<Name extends RunEventName>(
  name: Name,
  call: Call,
  scope: CallScope,
  event: Omit<RunEventMap[Name], keyof CallMark>,
): void {
  const { events, trace } = scope.input
  if (events === undefined) return
  const { toolCallId, toolName } = call
  const { workspace: _, ...run } = hookRunInfo(scope.input)
  const report = (error: unknown): void =>
    trace?.({ level: 'warn', message: `a listener of ${name} failed: ${String(error)}`, toolCallId })
  try {
    const told = events.emit(name, { ...run, toolCallId, toolName, ...event } as unknown as RunEventMap[Name])
    if (told instanceof Promise) told.catch(report)
  } catch (error) {
    report(error)
  }
}

/** Stable across restarts: the same call asks under the same id. */
export function askId(runId: string, toolCallId: string, ordinal: number): string {
  return `ask_${createHash('sha256').update(`${runId}\n${toolCallId}\n${ordinal}`).digest('hex').slice(0, 32)}`
}

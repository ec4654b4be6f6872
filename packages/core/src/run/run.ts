import { setMaxListeners } from 'node:events'
import { errorInfo, NamedError } from '../error.ts'
import { cleanMessage } from '../protocol/clean.ts'
import { createFold } from '../protocol/fold.ts'
import type { Chunk, ErrorInfo, Message, Metadata, Usage } from '../protocol/message.ts'
import { buildTools, findTool } from '../tool-set.ts'
import type { Tool } from '../tool.ts'
import { callModel, type ModelAnswer } from './call-model.ts'
import { executeCall, stoppedText, type CallScope } from './execute-call.ts'
import { loadFiles } from './load-files.ts'
import { createRepeatGuard } from './repeat-guard.ts'
import type { Call } from './parse-call.ts'
import { project } from './project.ts'
import { defaultLimits, type Limits, type RunInput } from './run-input.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import { addUsage } from './usage.ts'
import { createWriteLock } from './write-lock.ts'

export interface RunOutcome {
  status: 'done' | 'failed' | 'aborted'
  /** Cleaned: what is stored. */
  message: Message
  error?: ErrorInfo
}

/**
 * One turn: model calls and tool calls until the model is done, a limit is reached, or a person ends it. Everything
 * that happens goes to the log; the message is its fold. Never throws for what a model, a tool or a person does.
 */
export async function run(input: RunInput): Promise<RunOutcome> {
  setMaxListeners(0, input.signal)
  const turn = openTurn(input)
  const { resume } = input
  try {
    if (resume === undefined || resume.chunks.length === 0) {
      turn.emit({ type: 'start', messageId: input.messageId, messageMetadata: turn.firstMetadata })
      for (const chunk of input.opening ?? []) turn.emit(chunk)
    }
    if (resume?.phase === 'finished') return turn.outcome('done')
    let more = resume?.phase === 'calls' || resume?.phase === 'between' ? await goOn(turn) : true
    let again = resume?.phase === 'model'
    while (more) {
      if (!again) injectSteering(turn)
      const limit = limitReached(turn)
      if (limit !== undefined) {
        turn.stopped = limit
        break
      }
      more = await step(turn, again)
      again = false
    }
    return turn.close()
  } catch (error) {
    return turn.fail(error)
  }
}

/** One model call and the calls it makes. Returns whether the turn goes on. */
async function step(turn: Turn, again: boolean): Promise<boolean> {
  const { input, log } = turn
  if (again) turn.emit({ type: 'reset-step' })
  else {
    turn.step++
    turn.emit({ type: 'start-step' })
  }
  log.note({ type: '$step', step: turn.step, attempt: again ? (input.resume?.attempt ?? 1) + 1 : 1 })
  await log.sync()
  input.signal.throwIfAborted()

  const calls = openCalls(turn)
  const prompt = await loadFiles(project([...input.history, turn.fold.snapshot()], input.instructions), input.blobs)
  const tools = buildTools(input.tools)
  const answer = await callModel({
    model: input.model.model,
    options: { ...input.callOptions, prompt, ...(tools.length > 0 && { tools }) },
    tools: input.tools,
    signal: input.signal,
    ...(input.blobs !== undefined && { blobs: input.blobs }),
    maxRetries: input.maxRetries ?? 3,
    stallMs: input.stallMs ?? 180_000,
    emit: turn.emit,
    takeCallId: turn.takeCallId,
    onCall(call) {
      if (call.repair !== undefined) {
        log.note({ type: '$repair', toolCallId: call.toolCallId, ...call.repair })
        input.trace?.({ level: 'warn', message: '[tool-repair]', toolCallId: call.toolCallId, ...call.repair })
      }
      calls.offer(call)
    },
  })
  return finishStep(turn, calls, answer)
}

async function finishStep(turn: Turn, calls: Schedule, answer: ModelAnswer): Promise<boolean> {
  const { input, log } = turn
  turn.usage = addUsage(turn.usage, answer.usage)
  turn.finishReason = answer.finishReason
  if (turn.usage !== undefined) turn.emit({ type: 'data-usage', data: turn.usage, transient: true })
  const cut = answer.error ?? cutShort(answer)
  if (cut !== undefined || input.signal.aborted) calls.cancel()
  if (answer.error === undefined) {
    const noted = answer.calls.map(({ toolCallId, toolName, input: given, invalid }) => ({ toolCallId, toolName, input: given, ...(invalid !== undefined && { invalid }) }))
    log.note({ type: '$model-end', step: turn.step, calls: noted, finishReason: answer.finishReason, ...(answer.usage !== undefined && { usage: { ...answer.usage } }) })
    if (noted.length > 0) await log.sync()
  }
  await calls.finish()
  if (answer.error !== undefined) throw answer.error
  input.signal.throwIfAborted()
  if (cut !== undefined) turn.settleOpenCalls(cut.message)
  turn.emit({ type: 'finish-step' })
  return goesOn(turn, answer)
}

/** Whether another model call follows a finished step. */
function goesOn(turn: Turn, answer: Pick<ModelAnswer, 'finishReason'> & { calls: readonly unknown[] }): boolean {
  if (turn.denied || cutShort(answer) !== undefined) return false
  return answer.calls.length > 0 || turn.takeSteering()
}

/** After a crash: the model call had ended, and some of its calls may have no result yet. */
async function goOn(turn: Turn): Promise<boolean> {
  const resume = turn.input.resume as NonNullable<RunInput['resume']>
  turn.denied = turn.hasRefusal()
  if (resume.phase === 'between') return goesOn(turn, resume)
  const calls = openCalls(turn)
  const cut = cutShort(resume)
  if (cut !== undefined || turn.denied) calls.cancel()
  if (cut !== undefined) turn.settleOpenCalls(cut.message)
  for (const noted of resume.calls) {
    if (turn.hasResult(noted.toolCallId)) continue
    const tool = findTool(noted.toolName, turn.input.tools)
    if (tool === undefined) turn.emit({ type: 'tool-output-error', toolCallId: noted.toolCallId, errorText: `The tool ${noted.toolName} is no longer there.` })
    else calls.offer({ toolCallId: noted.toolCallId, toolName: noted.toolName, tool, input: noted.input })
  }
  await calls.finish()
  turn.input.signal.throwIfAborted()
  turn.emit({ type: 'finish-step' })
  return goesOn(turn, resume)
}

/** Calls of an answer that did not end properly are not run: they may be truncated. */
function cutShort(answer: Pick<ModelAnswer, 'finishReason'> & { calls: readonly unknown[] }): NamedError | undefined {
  if (answer.calls.length === 0) return undefined
  if (answer.finishReason === 'stop' || answer.finishReason === 'tool-calls' || answer.finishReason === 'other') return undefined
  const why = answer.finishReason === 'length' ? 'the answer reached the output limit of the model' : `the model ended with "${answer.finishReason}"`
  return new NamedError('AnswerCutShort', `Not run: ${why} before the step was complete.`)
}

function openCalls(turn: Turn): Schedule {
  const { input } = turn
  const schedule = createSchedule(async (call) => {
    const refusal = turn.repeats.check(call)
    if (refusal !== undefined) {
      turn.emit({ type: 'tool-output-error', toolCallId: call.toolCallId, errorText: refusal })
      return
    }
    const startedBefore = input.resume?.started.has(call.toolCallId) === true ? { input: input.resume.started.get(call.toolCallId) } : undefined
    turn.running++
    await executeCall(call as Call & { tool: Tool }, { ...turn.scope, ...(startedBefore !== undefined && { startedBefore }), deny: () => refuseTurn(call) })
    turn.running--
    turn.tellWaiting()
  })
  const stop = (): void => schedule.cancel()
  input.signal.addEventListener('abort', stop, { once: true })
  return schedule

  function refuseTurn(call: Call): void {
    turn.denied = true
    schedule.cancel()
    turn.stopped = { reason: 'denied', message: `${call.toolName} was refused.` }
  }
}

function injectSteering(turn: Turn): void {
  turn.takeSteering()
  for (const { id, text } of turn.steering.splice(0)) turn.emit({ type: 'steering-message', id, parts: [{ type: 'text', text }] })
}

function limitReached(turn: Turn): Metadata['stopped'] {
  const { limits } = turn
  if (turn.step >= limits.steps) return { reason: 'steps', message: `The turn reached its limit of ${limits.steps} steps.` }
  if (limits.tokens !== undefined && (turn.usage?.totalTokens ?? 0) >= limits.tokens) return { reason: 'tokens', message: `The turn reached its limit of ${limits.tokens} tokens.` }
  if (limits.ms !== undefined && performance.now() - turn.begun >= limits.ms) return { reason: 'time', message: `The turn reached its limit of ${limits.ms / 1000} s.` }
  if (turn.repeats.exhausted()) return { reason: 'repeat', message: 'The same call was repeated over and over.' }
  return undefined
}

type Turn = ReturnType<typeof openTurn>

/** The state of one turn, and the few things that every part of the loop does to it. */
function openTurn(input: RunInput) {
  const { log, resume } = input
  const fold = createFold({ id: input.messageId })
  for (const chunk of resume?.chunks ?? []) fold.push(chunk)
  const agent = input.frames.at(-1) as RunInput['frames'][number]
  const limits: Limits = { ...defaultLimits, ...input.limits }
  const taken = new Set(input.history.flatMap((message) => callIds(message)))
  let waitingCalls = 0
  let toldWaiting = false

  const turn = {
    input,
    log,
    fold,
    limits,
    begun: performance.now(),
    step: resume?.step ?? 0,
    usage: resume?.usage.reduce<Usage | undefined>(addUsage, undefined),
    finishReason: resume?.finishReason ?? 'other',
    stopped: undefined as Metadata['stopped'],
    denied: false,
    running: 0,
    steering: resume?.steering.slice() ?? [],
    repeats: createRepeatGuard(limits.repeats),
    firstMetadata: {
      agent: { kind: agent.kind, name: agent.name, depth: agent.depth, path: [...agent.path] },
      model: input.model.id,
      createdAt: Date.now(),
    } satisfies Metadata,

    emit(chunk: Chunk): void {
      fold.push(chunk)
      log.append(chunk)
    },
    async takeCallId(id: string): Promise<boolean> {
      if (taken.has(id)) return false
      taken.add(id)
      return (await input.takeCallId?.(id)) ?? true
    },
    /** Moves accepted steering messages into the turn; true when there are any. */
    takeSteering(): boolean {
      turn.steering.push(...(input.steering?.() ?? []))
      return turn.steering.length > 0
    },
    hasResult(toolCallId: string): boolean {
      const part = fold.snapshot().parts.find((candidate) => 'toolCallId' in candidate && candidate.toolCallId === toolCallId)
      return part !== undefined && 'state' in part && /^output-/.test(String(part.state))
    },
    /** A person refused a call of this step without a remark: an earlier process was about to end the turn. */
    hasRefusal(): boolean {
      const { parts } = fold.snapshot()
      const current = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
      return current.some((part) => 'state' in part && part.state === 'output-denied' && 'approval' in part && part.approval.reason === undefined)
    },
    /** Every call that has no result gets one, so that nobody is left looking at a spinner. */
    settleOpenCalls(errorText: string): void {
      for (const part of fold.snapshot().parts) {
        if (!('toolCallId' in part) || !('state' in part) || part.state === 'input-streaming') continue
        if (/^output-/.test(part.state)) continue
        turn.emit({ type: 'tool-output-error', toolCallId: part.toolCallId, errorText })
      }
    },
    tellWaiting(): void {
      const waits = waitingCalls > 0 && waitingCalls === turn.running
      if (waits === toldWaiting) return
      toldWaiting = waits
      input.onStatus?.(waits ? 'waiting' : 'running', () => cleanMessage(fold.snapshot(), { run: 'waiting' }))
    },
    metadata(): Metadata {
      return {
        elapsedMs: Math.round(performance.now() - turn.begun),
        finishReason: turn.finishReason,
        ...(turn.usage !== undefined && { usage: turn.usage }),
        ...(turn.stopped !== undefined && { stopped: turn.stopped }),
      }
    },
    outcome(status: RunOutcome['status'], error?: ErrorInfo): RunOutcome {
      return { status, message: cleanMessage(fold.snapshot(), { run: 'ended' }), ...(error !== undefined && { error }) }
    },
    close(): RunOutcome {
      turn.settleOpenCalls(turn.denied ? 'Not run: an earlier call of this step was refused.' : 'Not run: the turn ended first.')
      turn.emit({ type: 'finish', finishReason: finishReasonOf(turn.finishReason), messageMetadata: turn.metadata() })
      return turn.outcome('done')
    },
    fail(thrown: unknown): RunOutcome {
      if (input.signal.aborted) {
        // A stop is the person's; any other reason (the server goes down) interrupts.
        const byPerson = !(input.signal.reason instanceof NamedError && input.signal.reason.name === 'Shutdown')
        const reason = byPerson ? stoppedText : 'Interrupted: the server was stopped.'
        turn.settleOpenCalls(reason)
        turn.emit({ type: 'message-metadata', messageMetadata: { ...turn.metadata(), ...(byPerson ? { aborted: true } : { interrupted: true }) } })
        turn.emit({ type: 'abort', reason })
        turn.emit({ type: 'finish', finishReason: 'other' })
        return turn.outcome('aborted')
      }
      const error = errorInfo(thrown)
      turn.finishReason = 'error'
      turn.settleOpenCalls(`Not run: ${error.message}`)
      turn.emit({ type: 'message-metadata', messageMetadata: { ...turn.metadata(), error } })
      turn.emit({ type: 'error', errorText: error.message })
      turn.emit({ type: 'finish', finishReason: 'error' })
      return turn.outcome('failed', error)
    },
    scope: undefined as unknown as Omit<CallScope, 'deny'>,
  }
  turn.scope = {
    input,
    writes: input.writes ?? createWriteLock(),
    emit: turn.emit,
    waiting() {
      waitingCalls++
      turn.tellWaiting()
      return () => {
        waitingCalls--
        turn.tellWaiting()
      }
    },
    base: {
      session: input.session,
      workspace: input.workspace,
      ...(input.project !== undefined && { project: input.project }),
      ...(input.client !== undefined && { client: input.client }),
      ...(input.tab !== undefined && { tab: input.tab }),
      ...(input.page !== undefined && { page: input.page }),
      run: { id: input.runId, attempt: resume === undefined ? 1 : resume.attempt + 1 },
      frames: input.frames,
      agent,
      chatModel: input.model,
      messageId: input.messageId,
      lastOutput: (toolName) => lastOutput([...input.history, fold.snapshot()], toolName),
      mediaModel: input.mediaModel ?? (() => undefined),
      credentials: input.credentials ?? (() => Promise.resolve(undefined)),
    },
  }
  return turn
}

function lastOutput(messages: readonly { parts: readonly object[] }[], toolName: string): unknown {
  for (const { parts } of messages.toReversed()) {
    const part = parts.findLast((candidate) => 'type' in candidate && candidate.type === `tool-${toolName}` && 'output' in candidate)
    if (part !== undefined) return (part as { output: unknown }).output
  }
  return undefined
}

function callIds(message: { parts: readonly object[] }): string[] {
  return message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId as string] : []))
}

type FinishReason = NonNullable<Extract<Chunk, { type: 'finish' }>['finishReason']>

function finishReasonOf(reason: string): FinishReason {
  return reason as FinishReason
}

import path from 'node:path'
import {
  type Chunk,
  cleanMessage,
  createFold,
  errorInfo,
  type ErrorInfo,
  type Message,
  type Metadata,
  type Usage,
} from '@troupe/protocol'
import { privateTemporaryFolder } from '../files/temporary-files.ts'
import { runHooks } from '../hooks/run-hooks.ts'
import { addUsage, contextFill, costOf } from '../model/check-answer.ts'
import type { TokenGauge } from '../prompt/apply-compactions.ts'
import { joinSkills } from '../skills/agent-skills.ts'
import { abortReason } from '../tool/abort-reason.ts'
import type { AgentState } from '../tool/agent-state.ts'
import { RepeatGuard } from '../tool/parse-call.ts'
import { pausedFinishReason } from './call-model.ts'
import { createAgentState } from './create-agent-state.ts'
import { type CallMark, defaultLimits, type Limits, type RunInput } from './run-input.ts'
import { createWriteLock, Stopwatch, type WriteLock } from './tree-state.ts'
import { finishedCalls } from './resume.ts'

export type Turn = ReturnType<typeof openTurn>

/** Creates the state of one turn and the operations shared by all parts of the loop. */
export function openTurn(input: RunInput) {
  const { log, resume } = input
  const fold = createFold({ id: input.messageId })
  for (const chunk of resume?.chunks ?? []) fold.push(chunk)
  const limits: Limits = { ...defaultLimits, ...input.limits }
  const watch = new Stopwatch(resume?.elapsedMs)
  const steering = resume?.steering.slice() ?? []
  let taken: Set<string> | undefined
  let writes: WriteLock | undefined
  let state: AgentState | undefined
  let busy = 0
  let waitingCalls = 0
  let toldWaiting = false

  const turn = {
    input,
    log,
    fold,
    limits,
    watch,
    attempt: resume === undefined ? 1 : resume.attempt + 1,
    step: resume?.step ?? 0,
    usage: resume?.usage.reduce<Usage | undefined>(addUsage, undefined),
    /** Fill of the context window after the latest model call. */
    contextTokens: resume?.lastUsage && contextFill(resume.lastUsage),
    finishReason: resume?.finishReason ?? 'other',
    size: 0,
    stopped: undefined as Metadata['stopped'],
    denied: false,
    /** Set once the provider has lost the data its earlier answers refer to. They are then sent without references. */
    bare: false,
    /** Context window in tokens, as far as known. */
    window: input.model.contextWindow,
    /** Set after a file was rejected. From then on files are sent as text. */
    plainFiles: false,
    sentFiles: false,
    gauge: undefined as TokenGauge | undefined,
    repeats: new RepeatGuard(limits.repeats),
    emit,
    takeCallId,
    waiting,
    writes: () => (writes ??= input.writes?.() ?? createWriteLock()),
    state: () => (state ??= openState()),
    /** Returns true if messages wait to be injected. If the turn would end and there are none, no more are accepted. */
    takeSteering(ending: boolean): boolean {
      steering.push(...(input.steering?.(ending && steering.length === 0) ?? []))
      return steering.length > 0
    },
    injectSteering(): void {
      for (const { id, text, brought = [], unasked = [], author } of steering.splice(0)) {
        if (author !== undefined) emit({ type: 'message-metadata', messageMetadata: { steeredBy: { [id]: author } } })
        emit({ type: 'steering-message', id, parts: [{ type: 'text', text }] })
        // Emit the parts of the answer right after it. Clients support only text and files in such a message.
        for (const part of brought) emit(part as Chunk)
        if (brought.length + unasked.length > 0) joinSkills(turn.state(), brought, unasked)
      }
    },
    /** Counts the run as active while the callback runs. */
    async work<T>(what: () => Promise<T>): Promise<T> {
      enter()
      try {
        return await what()
      } finally {
        leave()
      }
    },
    enter,
    leave,
    spend(usage: Usage): void {
      log.note({ type: '$spend', usage: { ...usage } })
      turn.usage = addUsage(turn.usage, usage)
      turn.emitUsage()
      input.meter?.add({ tokens: usage.totalTokens, cost: costOf(usage, input.model.price) ?? 0 })
    },
    emitUsage(): void {
      const { usage, contextTokens } = turn
      if (usage !== undefined) emit({ type: 'data-usage', data: { ...usage, contextTokens }, transient: true })
    },
    refuse(toolName: string): void {
      turn.denied = true
      turn.stopped = { reason: 'denied', message: `${toolName} was denied.` }
    },
  }
  if (resume !== undefined) {
    for (const { result, ...call } of finishedCalls(fold.snapshot(), input.tools)) {
      turn.repeats.check(call)
      turn.repeats.saw(call, result)
    }
  }
  return turn

  /** Skills loaded by an earlier process stay loaded, and a change that waits may still be made. */
  function openState(): AgentState {
    const opened = input.state?.() ?? temporaryState(input)
    if (resume !== undefined) joinSkills(opened, fold.snapshot().parts)
    for (const [path, stamp] of resume?.seen ?? []) if (!opened.reads.has(path)) opened.reads.set(path, stamp)
    return opened
  }

  function emit(given: Chunk): void {
    const chunk = redactChunk(given, input.redact)
    fold.push(chunk)
    log.append(chunk)
  }

  /** Reserves a call id. An id is free if no call of the session has it, including dropped attempts. */
  async function takeCallId(id: string): Promise<boolean> {
    taken ??= new Set([...input.history.flatMap(callIds), ...(resume?.chunks.flatMap(completedCallIds) ?? [])])
    if (taken.has(id)) return false
    taken.add(id)
    return (await input.reserveCallId?.(id)) ?? true
  }

  /** Counts the run as active until `leave`. */
  function enter(): void {
    busy++
  }

  function leave(): void {
    busy--
    tellWaiting()
  }

  /** Marks a call as waiting for a person until the returned function is called. */
  function waiting(): () => void {
    waitingCalls++
    tellWaiting()
    return () => {
      waitingCalls--
      tellWaiting()
    }
  }

  function tellWaiting(): void {
    const waits = waitingCalls > 0 && waitingCalls === busy
    if (waits === toldWaiting) return
    toldWaiting = waits
    if (waits) watch.pause()
    else watch.resume()
    input.onStatus?.(waits ? 'waiting' : 'running', () => cleanMessage(fold.snapshot(), { run: 'waiting' }))
  }
}

export function firstMetadata(input: RunInput): Metadata {
  const { kind, name, depth, path } = input.frames.at(-1) as RunInput['frames'][number]
  const { id: model, source } = input.model
  const agent = { kind, name, depth, path: [...path] }
  return { agent, model, source, createdAt: Date.now() }
}

/** For callers that keep no state: the agent forgets everything after the run. */
function temporaryState(input: RunInput): AgentState {
  return createAgentState({
    workspace: input.workspace.path,
    outputFolder: path.join(privateTemporaryFolder(), input.session.id),
  })
}

function callIds(message: { parts: readonly object[] }): string[] {
  return message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId as string] : []))
}

/** A complete call may have asked or run, even if its attempt was dropped. */
function completedCallIds(chunk: Chunk): string[] {
  return chunk.type === 'tool-input-available' ? [chunk.toolCallId] : []
}

/** Tool results may contain secrets the tools were not meant to see. Keep them from both history and model. */
function redactChunk(chunk: Chunk, redact: ((text: string) => string) | undefined): Chunk {
  if (redact === undefined || !(chunk.type.startsWith('tool-output') || chunk.type.startsWith('data-'))) return chunk
  const text = JSON.stringify(chunk)
  const clean = redact(text)
  return clean === text ? chunk : (JSON.parse(clean) as Chunk)
}

export function hookRunInfo(input: RunInput): Omit<CallMark, 'toolCallId' | 'toolName'> & { workspace: string } {
  return {
    sessionId: input.session.id,
    runId: input.runId,
    messageId: input.messageId,
    agentPath: input.frames.map((frame) => frame.name),
    workspace: input.workspace.path,
  }
}

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
  turn.input.onError?.(thrown)
  const ending = signal.aborted ? abortReason(signal.reason) : undefined
  if (ending === undefined || ending.status === 'failed') {
    return failWithError(turn, errorInfo(ending === undefined ? thrown : signal.reason))
  }
  settleTurn(turn, ending.text)
  const { askedAt } = ending
  const stopMs = askedAt === undefined ? undefined : Math.max(0, Date.now() - askedAt)
  turn.emit({
    type: 'message-metadata',
    messageMetadata: { ...lastMetadata(turn), [ending.status]: true, stopMs },
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
  return { status, message: cleanMessage(fold.snapshot(), { run: 'ended' }), error }
}

function lastMetadata({ input, watch, finishReason, usage, contextTokens, stopped }: Turn): Metadata {
  const cost = costOf(usage, input.model.price)
  const below = input.meter?.below
  return {
    elapsedMs: watch.elapsedMs(),
    finishReason,
    usage,
    contextTokens,
    cost,
    subAgents:
      below !== undefined && below.tokens > 0 ? { tokens: below.tokens, cost: below.cost || undefined } : undefined,
    stopped,
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
      error: error?.message,
      ...hookRunInfo(input),
    },
    // A stop ends the turn, but not its end hooks.
    { signal: new AbortController().signal },
  )
  if (decision === 'deny') input.trace?.({ level: 'warn', message: `at the end of the run: ${reason ?? 'denied'}` })
}

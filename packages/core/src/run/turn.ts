import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentState } from '../agent-state.ts'
import { createAgentState } from '../create-agent-state.ts'
import { errorInfo } from '../error.ts'
import { cleanMessage } from '../protocol/clean.ts'
import { createFold } from '../protocol/fold.ts'
import type { Chunk, ErrorInfo, Message, Metadata, Usage } from '../protocol/message.ts'
import { endingOf } from './ending.ts'
import { redactChunk } from './redact-chunk.ts'
import { createRepeatGuard } from './repeat-guard.ts'
import { defaultLimits, type Limits, type RunInput } from './run-input.ts'
import { createStopwatch } from './stopwatch.ts'
import { addUsage } from './usage.ts'
import { createWriteLock, type WriteLock } from './write-lock.ts'

export interface RunOutcome {
  status: 'done' | 'failed' | 'aborted' | 'interrupted'
  /** Cleaned: what is stored. */
  message: Message
  error?: ErrorInfo
}

export type Turn = ReturnType<typeof openTurn>

/** The state of one turn, and the few things that every part of the loop does to it. */
export function openTurn(input: RunInput) {
  const { log, resume } = input
  const fold = createFold({ id: input.messageId })
  for (const chunk of resume?.chunks ?? []) fold.push(chunk)
  const limits: Limits = { ...defaultLimits, ...input.limits }
  const watch = createStopwatch(resume?.elapsedMs)
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
    /** Which process this is that works on the run. */
    attempt: resume === undefined ? 1 : resume.attempt + 1,
    step: resume?.step ?? 0,
    usage: resume?.usage.reduce<Usage | undefined>(addUsage, undefined),
    finishReason: resume?.finishReason ?? 'other',
    stopped: undefined as Metadata['stopped'],
    denied: false,
    repeats: createRepeatGuard(limits.repeats),
    emit,
    takeCallId,
    waiting,
    writes: () => (writes ??= input.writes ?? createWriteLock()),
    state: () => (state ??= input.state?.() ?? temporaryState(input)),
    /** True when messages wait to be injected. When the turn would end without one, none is accepted from then on. */
    takeSteering(ending: boolean): boolean {
      steering.push(...(input.steering?.(ending && steering.length === 0) ?? []))
      return steering.length > 0
    },
    injectSteering(): void {
      for (const { id, text } of steering.splice(0))
        emit({ type: 'steering-message', id, parts: [{ type: 'text', text }] })
    },
    /** The run counts as working while this goes on. */
    async work<T>(what: () => Promise<T>): Promise<T> {
      busy++
      try {
        return await what()
      } finally {
        busy--
        tellWaiting()
      }
    },
    hasResult(toolCallId: string): boolean {
      const part = fold
        .snapshot()
        .parts.find((candidate) => 'toolCallId' in candidate && candidate.toolCallId === toolCallId)
      return part !== undefined && 'state' in part && String(part.state).startsWith('output-')
    },
    /** A person refused a call of this step without a remark: an earlier process was about to end the turn. */
    hasRefusal(): boolean {
      const { parts } = fold.snapshot()
      const current = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
      return current.some(
        (part) =>
          'state' in part && part.state === 'output-denied' && 'approval' in part && part.approval.reason === undefined,
      )
    },
    refuse(toolName: string): void {
      turn.denied = true
      turn.stopped = { reason: 'denied', message: `${toolName} was refused.` }
    },
    /** Every call that has no result gets one, so that nobody is left looking at a spinner. */
    settleOpenCalls(errorText: string): void {
      for (const part of fold.snapshot().parts) {
        if (!('toolCallId' in part) || !('state' in part) || part.state === 'input-streaming') continue
        if (part.state.startsWith('output-')) continue
        emit({ type: 'tool-output-error', toolCallId: part.toolCallId, errorText })
      }
    },
    outcome(status: RunOutcome['status'], error?: ErrorInfo): RunOutcome {
      return { status, message: cleanMessage(fold.snapshot(), { run: 'ended' }), ...(error !== undefined && { error }) }
    },
    close(): RunOutcome {
      end(turn.denied ? 'Not run: an earlier call of this step was refused.' : 'Not run: the turn ended first.')
      emit({ type: 'finish', finishReason: finishReasonOf(turn.finishReason), messageMetadata: metadata() })
      return turn.outcome('done')
    },
    fail(thrown: unknown): RunOutcome {
      const ending = input.signal.aborted ? endingOf(input.signal.reason) : undefined
      if (ending === undefined || ending.status === 'failed')
        return broken(errorInfo(ending === undefined ? thrown : input.signal.reason))
      end(ending.text)
      emit({ type: 'message-metadata', messageMetadata: { ...metadata(), [ending.status]: true } })
      emit({ type: 'abort', reason: ending.text })
      emit({ type: 'finish', finishReason: 'other' })
      return turn.outcome(ending.status)
    },
    /** An earlier process had ended the turn, and was not able to store the message. */
    finished(): RunOutcome {
      const { error, aborted, interrupted } = fold.snapshot().metadata ?? {}
      if (error !== undefined) return turn.outcome('failed', error)
      return turn.outcome(aborted === true ? 'aborted' : interrupted === true ? 'interrupted' : 'done')
    },
  }
  if (resume !== undefined) for (const call of finishedCalls(fold.snapshot())) turn.repeats.check(call)
  return turn

  function emit(given: Chunk): void {
    const chunk = redactChunk(given, input.redact)
    fold.push(chunk)
    log.append(chunk)
  }

  /** Whether a call id is free: no call of the session has it, dropped attempts included. */
  async function takeCallId(id: string): Promise<boolean> {
    taken ??= new Set([...input.history.flatMap(callIds), ...(resume?.chunks.flatMap(callIdOf) ?? [])])
    if (taken.has(id)) return false
    taken.add(id)
    return (await input.takeCallId?.(id)) ?? true
  }

  function broken(error: ErrorInfo): RunOutcome {
    turn.finishReason = 'error'
    end(`Not run: ${error.message}`)
    emit({ type: 'message-metadata', messageMetadata: { ...metadata(), error } })
    emit({ type: 'error', errorText: error.message })
    emit({ type: 'finish', finishReason: 'error' })
    return turn.outcome('failed', error)
  }

  /** What was accepted is kept, even where no step follows that could heed it: the next turn will. */
  function end(openCalls: string): void {
    turn.settleOpenCalls(openCalls)
    while (turn.takeSteering(true)) turn.injectSteering()
  }

  /** A call waits for a person until the returned function is called. */
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

  function metadata(): Metadata {
    return {
      elapsedMs: watch.elapsedMs(),
      finishReason: turn.finishReason,
      ...(turn.usage !== undefined && { usage: turn.usage }),
      ...(turn.stopped !== undefined && { stopped: turn.stopped }),
    }
  }
}

/** What the answer says about itself from its first chunk on. */
export function firstMetadata(input: RunInput): Metadata {
  const { kind, name, depth, path } = input.frames.at(-1) as RunInput['frames'][number]
  return { agent: { kind, name, depth, path: [...path] }, model: input.model.id, createdAt: Date.now() }
}

/** For programs that keep none: the agent forgets with the run. */
function temporaryState(input: RunInput): AgentState {
  return createAgentState({
    workspace: input.workspace.path,
    outputFolder: path.join(tmpdir(), 'troupe', input.session.id),
  })
}

function callIds(message: { parts: readonly object[] }): string[] {
  return message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId as string] : []))
}

/** A call that is complete may have asked or run, even if its attempt was dropped. */
function callIdOf(chunk: Chunk): string[] {
  return chunk.type === 'tool-input-available' ? [chunk.toolCallId] : []
}

function finishedCalls(message: Message): { toolName: string; input: unknown }[] {
  return message.parts.flatMap((part) => {
    if (!('toolCallId' in part) || !('state' in part) || !part.state.startsWith('output-')) return []
    return [
      { toolName: part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length), input: part.input },
    ]
  })
}

type FinishReason = NonNullable<Extract<Chunk, { type: 'finish' }>['finishReason']>

function finishReasonOf(reason: string): FinishReason {
  return reason as FinishReason
}

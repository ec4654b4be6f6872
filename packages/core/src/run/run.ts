import { showCount } from '../files/show-name.ts'
import { setMaxListeners } from 'node:events'
import { makeRoom } from '../compaction/make-room.ts'
import { NamedError } from '../error.ts'
import type { DataParts } from '../protocol/data-parts.ts'
import type { Metadata, Usage } from '../protocol/message.ts'
import { shownTools } from '../mcp/tool-search.ts'
import { buildTools, findTool } from '../tool-set.ts'
import type { Tool } from '../tool.ts'
import { callModel, longestAnswer, paused, type ModelAnswer, type ModelCall } from './call-model.ts'
import { openCallScope } from './call-scope.ts'
import { isRefusal } from './call-context.ts'
import { closeTurn, earlierRefused, endedTurn, failTurn, settleOpenCalls, type RunOutcome } from './end-turn.ts'
import { endHooks } from './end-hooks.ts'
import { openExecution, type CallExecution } from './execute-call.ts'
import { hasFiles, loadFiles } from './load-files.ts'
import type { Call } from './parse-call.ts'
import { project } from './project.ts'
import { recoverCall } from './recover-call.ts'
import type { Resume } from './resume.ts'
import type { RunInput } from './run-input.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import { timeReasoning } from './time-reasoning.ts'
import { firstMetadata, openTurn, type Turn } from './turn.ts'
import { addUsage, costOf } from './usage.ts'

export type { RunOutcome } from './end-turn.ts'

/**
 * One turn: model calls and tool calls until the model is done, a limit is reached, or a person ends it. Everything
 * that happens goes to the log; the message is its fold. Never throws for what a model, a tool or a person does.
 */
export async function run(input: RunInput): Promise<RunOutcome> {
  const outcome = await takeTurn(input)
  await endHooks(input, outcome)
  return outcome
}

async function takeTurn(input: RunInput): Promise<RunOutcome> {
  setMaxListeners(0, input.signal)
  const turn = openTurn(input)
  const { resume } = input
  try {
    if (resume !== undefined) await takeOver(turn)
    if (resume?.phase === 'finished') return endedTurn(turn)
    if (resume?.chunks.some((chunk) => chunk.type === 'start') !== true) begin(turn)
    if (input.signal.aborted && resume !== undefined) for (const end of resume.openTexts.values()) turn.emit(end)
    input.signal.throwIfAborted()
    let more = resume?.phase === 'calls' || resume?.phase === 'between' ? await goOn(turn, resume) : true
    let again = resume?.phase === 'model'
    let estimate = 0
    while (more) {
      if (!again) {
        turn.takeSteering(false)
        turn.injectSteering()
        turn.stopped = limitReached(turn)
        if (turn.stopped !== undefined) break
        estimate = await makeRoom(turn)
        input.signal.throwIfAborted()
        // Others of the tree may have spent the rest meanwhile: from here to the count of the step nothing is waited for.
        turn.stopped = limitReached(turn)
        if (turn.stopped !== undefined) break
      }
      more = await step(turn, again, estimate)
      again = false
    }
    return closeTurn(turn)
  } catch (error) {
    return failTurn(turn, error)
  }
}

function begin(turn: Turn): void {
  const { input } = turn
  turn.emit({ type: 'start', messageId: input.messageId, messageMetadata: firstMetadata(input) })
  for (const chunk of input.opening ?? []) turn.emit(chunk)
}

async function takeOver(turn: Turn): Promise<void> {
  const { input, log, attempt, step, usage } = turn
  input.meter?.add({ steps: step, tokens: usage?.totalTokens ?? 0, cost: priceOf(turn, usage) })
  log.note({ type: '$resume', attempt })
  await log.sync()
}

/** One model call and the calls it makes. Returns whether the turn goes on. */
async function step(turn: Turn, again: boolean, estimate: number): Promise<boolean> {
  const { input, log } = turn
  if (again) turn.emit({ type: 'reset-step' })
  else {
    turn.step++
    input.meter?.add({ steps: 1 })
    turn.emit({ type: 'start-step' })
  }
  log.note({ type: '$step', step: turn.step, attempt: turn.attempt, elapsedMs: turn.watch.elapsedMs() })
  await log.sync()
  input.signal.throwIfAborted()

  let calls: Calls | undefined
  const answer = await recoverCall(turn, () =>
    turn.work(() =>
      callModel({
        model: input.model.model,
        options(bare) {
          turn.bare ||= bare
          return callOptions(turn)
        },
        tools: input.tools,
        signal: input.signal,
        ...(input.blobs !== undefined && { blobs: input.blobs }),
        maxRetries: input.maxRetries ?? 3,
        stallMs: input.stallMs ?? 180_000,
        emit: timeReasoning(turn.step, turn.emit),
        takeCallId: turn.takeCallId,
        saidBefore: hasContent(turn),
        longest: Math.min(longestAnswer, longestTurn - turn.size),
        said: () => textOfStep(turn),
        onCall(call) {
          if (call.repair !== undefined) {
            log.note({ type: '$repair', toolCallId: call.toolCallId, ...call.repair })
            input.trace?.({ level: 'warn', message: '[tool-repair]', toolCallId: call.toolCallId, ...call.repair })
          }
          calls ??= openCalls(turn)
          calls.offer(call)
        },
      }),
    ),
  )
  if (answer.usage !== undefined) turn.gauge?.learn(estimate, answer.usage.inputTokens)
  return finishStep(turn, calls, answer)
}

/** What the model may say in one turn: all of it is held in memory until the turn has ended. */
const longestTurn = 4 * longestAnswer

async function callOptions(turn: Turn): ReturnType<ModelCall['options']> {
  const { input, fold, bare, finishReason } = turn
  const { model, takes: known } = input.model
  const messages = [...input.history, fold.snapshot()]
  const takes = turn.plainFiles ? [] : known
  const reader = bare ? 'stranger' : input.model
  const projected = project(messages, input.instructions, takes, reader, finishReason === paused)
  const prompt = await loadFiles(projected, input.blobs, {
    provider: model.provider,
    supportedUrls: model.supportedUrls,
    ...(takes !== undefined && { takes }),
  })
  turn.sentFiles = hasFiles(prompt)
  const tools = buildTools(shownTools(input.tools, messages, input.offers, input.mode?.get()))
  return { ...input.callOptions, prompt, ...(tools.length > 0 && { tools }) }
}

async function finishStep(turn: Turn, calls: Calls | undefined, answer: ModelAnswer): Promise<boolean> {
  const { input, log } = turn
  turn.usage = addUsage(turn.usage, answer.usage)
  turn.size += answer.size
  input.meter?.add({ tokens: answer.usage?.totalTokens ?? 0, cost: priceOf(turn, answer.usage) })
  turn.finishReason = answer.finishReason
  if (turn.usage !== undefined) turn.emit({ type: 'data-usage', data: turn.usage, transient: true })
  if (answer.error !== undefined) {
    await calls?.stop(new NamedError('ModelFailed', `Cancelled: ${answer.error.message}`))
    throw answer.error
  }
  // What came before a stop is no complete answer: nothing may go on from it after a crash.
  if (!input.signal.aborted) {
    const { usage, finishReason } = answer
    const noted = answer.calls.map(({ toolCallId, toolName, input: given, actionName, invalid }) => ({
      toolCallId,
      toolName,
      input: given,
      ...(actionName !== undefined && { actionName }),
      ...(invalid !== undefined && { invalid }),
    }))
    log.note({
      type: '$model-end',
      step: turn.step,
      calls: noted,
      finishReason,
      elapsedMs: turn.watch.elapsedMs(),
      ...(usage !== undefined && { usage: { ...usage } }),
    })
    if (noted.length > 0) await log.sync()
  }
  return finishCalls(turn, calls, answer)
}

/** After a crash: the model call had ended, and some of its calls may have no result yet. */
async function goOn(turn: Turn, resume: Resume): Promise<boolean> {
  if (hasRefusal(turn)) turn.refuse('A call')
  if (resume.phase === 'between') return goesOn(turn, resume)
  const calls = openCalls(turn)
  for (const noted of resume.calls) {
    if (noted.invalid !== undefined || hasResult(turn, noted.toolCallId)) continue
    const tool = findTool(noted.toolName, turn.input.tools)
    const { toolCallId, toolName, input, actionName } = noted
    if (tool !== undefined)
      calls.offer({ toolCallId, toolName, tool, input, ...(actionName !== undefined && { actionName }) })
    else turn.emit({ type: 'tool-output-error', toolCallId, errorText: `The tool ${toolName} is no longer there.` })
  }
  return finishCalls(turn, calls, resume)
}

function textOfStep({ fold }: Turn): string {
  const { parts } = fold.snapshot()
  const step = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return step.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** Whether the answer has something to show already. */
function hasContent({ fold }: Turn): boolean {
  return fold.snapshot().parts.some((part) => (part.type === 'text' ? part.text.trim() !== '' : 'toolCallId' in part))
}

function hasResult({ fold }: Turn, toolCallId: string): boolean {
  const { parts } = fold.snapshot()
  const part = parts.find((candidate) => 'toolCallId' in candidate && candidate.toolCallId === toolCallId)
  return part !== undefined && 'state' in part && String(part.state).startsWith('output-')
}

/** A person refused a call of this step without a remark: an earlier process was about to end the turn. */
function hasRefusal({ fold }: Turn): boolean {
  const { parts } = fold.snapshot()
  const current = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return current.some((part) => {
    if (part.type === 'data-ask-answer') return isRefusal((part.data as DataParts['ask-answer']).answer)
    return 'state' in part && part.state === 'output-denied' && 'approval' in part && part.approval.reason === undefined
  })
}

type Ended = Pick<ModelAnswer, 'finishReason'> & { calls: readonly unknown[] }

/** The model call has ended: runs what it asked for. */
async function finishCalls(turn: Turn, calls: Calls | undefined, answer: Ended): Promise<boolean> {
  const cut = cutShort(answer)
  if (cut !== undefined) calls?.cancel()
  await calls?.finish()
  turn.input.signal.throwIfAborted()
  if (cut !== undefined) settleOpenCalls(turn, cut.message)
  turn.emit({ type: 'finish-step' })
  return goesOn(turn, answer)
}

/** Whether another model call follows a finished step. Sub-agents in the background are waited for first. */
async function goesOn(turn: Turn, answer: Ended): Promise<boolean> {
  if (turn.denied || cutShort(answer) !== undefined) return false
  if (answer.calls.length > 0 || answer.finishReason === paused) return true
  const { input, waiting } = turn
  if (input.idle === undefined) return turn.takeSteering(true)
  do {
    if (turn.takeSteering(false)) return true
  } while (await turn.work(() => input.idle?.(waiting) ?? Promise.resolve(false)))
  return turn.takeSteering(true)
}

function priceOf({ input }: Turn, usage: Usage | undefined): number {
  return costOf(usage, input.model.price) ?? 0
}

/** Calls of an answer that did not end properly are not run: they may be truncated. */
function cutShort(answer: Ended): NamedError | undefined {
  if (answer.calls.length === 0) return undefined
  if (answer.finishReason === 'other' || answer.finishReason === paused) return undefined
  if (answer.finishReason === 'stop' || answer.finishReason === 'tool-calls') return undefined
  const why =
    answer.finishReason === 'length'
      ? 'the answer reached the output limit of the model'
      : `the model ended with "${answer.finishReason}"`
  return new NamedError('AnswerCutShort', `Not run: ${why} before the step was complete.`)
}

/** The calls of one step. */
interface Calls extends Pick<Schedule, 'offer' | 'finish' | 'cancel'> {
  /** Starts no more, aborts those that run, and waits for them. */
  stop(reason: NamedError): Promise<void>
}

/** Opened when the first call comes: most model calls make none. */
function openCalls(turn: Turn): Calls {
  const { input } = turn
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const scope = {
    ...openCallScope(turn),
    signal: controller.signal,
    deny,
    askSignal,
    asking: () => schedule.waiting(),
  }
  /** The place of each call among those of the step, and what lets go of its asks. */
  const places = new Map<string, { place: number; asking: AbortController }>()
  const executions = new Map<string, CallExecution>()
  const early: Promise<void>[] = []
  const schedule: Schedule = createSchedule((call) => turn.work(() => execute(call)), prepare)
  const onAbort = (): void => abort(input.signal.reason)
  if (input.signal.aborted) onAbort()
  else input.signal.addEventListener('abort', onAbort, { once: true })
  if (turn.denied) schedule.cancel()
  return {
    offer(call) {
      places.set(call.toolCallId, { place: places.size, asking: new AbortController() })
      schedule.offer(call)
    },
    finish,
    cancel: schedule.cancel,
    stop(reason) {
      abort(reason)
      return finish()
    },
  }

  async function execute(call: Call): Promise<void> {
    const refusal = turn.repeats.check(call)
    if (refusal !== undefined) {
      turn.emit({ type: 'tool-output-error', toolCallId: call.toolCallId, errorText: refusal })
      return
    }
    const started = input.resume?.started
    const startedBefore = started?.has(call.toolCallId) === true ? { input: started.get(call.toolCallId) } : undefined
    const execution =
      executions.get(call.toolCallId) ??
      openExecution(call as Call & { tool: Tool }, startedBefore === undefined ? scope : { ...scope, startedBefore })
    turn.repeats.saw(call, await execution.execute())
  }

  function prepare(call: Call): void {
    const { toolCallId } = call
    if (executions.has(toolCallId) || input.resume?.started.has(toolCallId) === true) return
    const execution = openExecution(call as Call & { tool: Tool }, scope)
    executions.set(toolCallId, execution)
    const permitting = turn.work(() => execution.permitEarly())
    permitting.catch(() => undefined)
    early.push(permitting)
  }

  async function finish(): Promise<void> {
    try {
      await schedule.finish()
      await Promise.all(early)
    } finally {
      input.signal.removeEventListener('abort', onAbort)
    }
  }

  function abort(reason: unknown): void {
    schedule.cancel()
    controller.abort(reason)
  }

  function deny(call: Call): void {
    turn.refuse(call.toolName)
    schedule.endWith(call)
    const refused = places.get(call.toolCallId)?.place ?? Infinity
    for (const { place, asking } of places.values())
      if (place > refused) asking.abort(new NamedError('Refused', earlierRefused))
  }

  function askSignal({ toolCallId }: Call): AbortSignal {
    return (places.get(toolCallId) as { asking: AbortController }).asking.signal
  }
}

function limitReached({ input, limits, step, usage, watch, repeats }: Turn): Metadata['stopped'] {
  const spent = input.meter?.exceeded()
  if (spent !== undefined) return { reason: 'budget', message: spent }
  if (step >= limits.steps)
    return { reason: 'steps', message: `The turn reached its limit of ${showCount(limits.steps, 'step')}.` }
  if (limits.tokens !== undefined && (usage?.totalTokens ?? 0) >= limits.tokens)
    return { reason: 'tokens', message: `The turn reached its limit of ${limits.tokens} tokens.` }
  if (limits.ms !== undefined && watch.elapsedMs() >= limits.ms)
    return { reason: 'time', message: `The turn reached its limit of ${limits.ms / 1000} s.` }
  if (repeats.exhausted()) return { reason: 'repeat', message: 'The same call was repeated over and over.' }
  return undefined
}

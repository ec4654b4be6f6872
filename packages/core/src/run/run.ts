import { setMaxListeners } from 'node:events'
import { type DataParts, type Metadata, NamedError, type Usage } from '@troupe/protocol'
import { addUsage, contextFill, costOf } from '../model/check-answer.ts'
import { project } from '../prompt/project.ts'
import { hasFiles, loadFiles } from '../prompt/prompt-files.ts'
import { formatCount } from '../text/format.ts'
import { buildTools, findTool, shownTools } from '../tool/tool-set.ts'
import { isRefusal } from './call-context.ts'
import { callModel, maxAnswerSize, pausedFinishReason, timeReasoning } from './call-model.ts'
import { compactIfNeeded } from './compact.ts'
import type { Resume } from './resume.ts'
import type { RunInput } from './run-input.ts'
import { openStepCalls, type StepCalls } from './step-calls.ts'
import type { ModelAnswer, ModelCall } from './translate-stream.ts'
import {
  closeTurn,
  failTurn,
  firstMetadata,
  openTurn,
  restoreOutcome,
  runEndHooks,
  type RunOutcome,
  settleOpenCalls,
  type Turn,
} from './turn.ts'
import { readContextLimit } from '../model/provider-error.ts'

export type { RunOutcome } from './turn.ts'

/**
 * Runs one turn: model calls and tool calls until the model is done, a limit is reached, or a person ends it. Every
 * event goes to the log, and the message is the fold of the log. Never throws because of a model, a tool or a person.
 */
export function run(input: RunInput): Promise<RunOutcome> {
  // Not an async function: hundreds of turns may be open, and each suspended frame costs half a kilobyte.
  return runTurn(input).then((outcome) => runEndHooks(input, outcome).then(() => outcome))
}

async function runTurn(input: RunInput): Promise<RunOutcome> {
  setMaxListeners(0, input.signal)
  const turn = openTurn(input)
  const { resume } = input
  try {
    if (resume !== undefined) await noteResume(turn)
    if (resume?.phase === 'finished') return restoreOutcome(turn)
    if (resume?.chunks.some((chunk) => chunk.type === 'start') !== true) emitStart(turn)
    if (input.signal.aborted && resume !== undefined) for (const end of resume.openTexts.values()) turn.emit(end)
    input.signal.throwIfAborted()
    let more = resume?.phase === 'calls' || resume?.phase === 'between' ? await resumeStep(turn, resume) : true
    let again = resume?.phase === 'model'
    let estimate = 0
    while (more) {
      if (!again) {
        turn.takeSteering(false)
        turn.injectSteering()
        turn.stopped = limitReached(turn)
        if (turn.stopped !== undefined) break
        if (turn.window !== undefined) estimate = await compactIfNeeded(turn)
        if (isBlind(turn)) await turn.work(() => describeImages(turn))
        input.signal.throwIfAborted()
        // Other agents of the tree may have spent the rest meanwhile. Nothing is awaited between this check and
        // counting the step.
        turn.stopped = limitReached(turn)
        if (turn.stopped !== undefined) break
      }
      more = await runStep(turn, again, estimate)
      again = false
    }
    return closeTurn(turn)
  } catch (error) {
    return failTurn(turn, error)
  }
}

function emitStart(turn: Turn): void {
  const { input } = turn
  turn.emit({ type: 'start', messageId: input.messageId, messageMetadata: firstMetadata(input) })
  for (const chunk of input.opening ?? []) turn.emit(chunk)
}

async function noteResume(turn: Turn): Promise<void> {
  const { input, log, attempt, step, usage } = turn
  input.meter?.add({ steps: step, tokens: usage?.totalTokens ?? 0, cost: turnCost(turn, usage) })
  log.note({ type: '$resume', attempt })
  await log.sync()
}

/** Runs one model call and its tool calls. Returns true if the turn continues. */
async function runStep(turn: Turn, again: boolean, estimate: number): Promise<boolean> {
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

  let calls: StepCalls | undefined
  const answer = await recoverModelCall(turn, () =>
    callModel({
      model: input.model.model,
      options(bare) {
        turn.bare ||= bare
        return buildRequest(turn)
      },
      tools: input.tools,
      signal: input.signal,
      guard: input.model.guard,
      blobs: input.blobs,
      maxRetries: input.maxRetries ?? 3,
      stallMs: input.stallMs ?? 180_000,
      emit: timeReasoning(turn.step, turn.emit),
      reserveCallId: turn.takeCallId,
      hasEarlierText: hasContent(turn),
      longest: Math.min(maxAnswerSize, maxTurnSize - turn.size),
      said: () => currentStepText(turn),
      onCall(call) {
        if (call.repair !== undefined) {
          log.note({ type: '$repair', toolCallId: call.toolCallId, ...call.repair })
          input.trace?.({ level: 'warn', message: '[tool-repair]', toolCallId: call.toolCallId, ...call.repair })
        }
        calls ??= openStepCalls(turn)
        calls.offer(call)
      },
    }),
  )
  if (answer.usage !== undefined) turn.gauge?.learn(estimate, answer.usage.inputTokens)
  return finishStep(turn, calls, answer)
}

/** Maximum model output in one turn. All of it stays in memory until the turn ends. */
const maxTurnSize = 4 * maxAnswerSize

async function buildRequest(turn: Turn): ReturnType<ModelCall['options']> {
  const { input, fold, bare, finishReason } = turn
  const { model, accepts: known } = input.model
  const messages = [...input.history, fold.snapshot()]
  const takes = turn.plainFiles ? [] : known
  const reader = bare ? 'stranger' : input.model
  const projected = project(messages, input.instructions, takes, reader, finishReason === pausedFinishReason)
  const prompt = await loadFiles(projected, input.blobs, {
    provider: model.provider,
    supportedUrls: model.supportedUrls,
    accepts: takes,
    attachments: input.attachments,
    sessionId: input.session.id,
    signal: input.signal,
  })
  turn.sentFiles = hasFiles(prompt)
  const tools = buildTools(shownTools(input.tools, messages, input.offers, input.mode?.get()))
  return { ...input.callOptions, prompt, tools: tools.length > 0 ? tools : undefined }
}

async function finishStep(turn: Turn, calls: StepCalls | undefined, answer: ModelAnswer): Promise<boolean> {
  const { input, log } = turn
  turn.usage = addUsage(turn.usage, answer.usage)
  turn.size += answer.size
  input.meter?.add({ tokens: answer.usage?.totalTokens ?? 0, cost: turnCost(turn, answer.usage) })
  turn.finishReason = answer.finishReason
  if (answer.usage !== undefined) turn.contextTokens = contextFill(answer.usage)
  turn.emitUsage()
  if (answer.error !== undefined) {
    await calls?.stop(new NamedError('ModelFailed', `Canceled: ${answer.error.message}`))
    throw answer.error
  }
  // Output before a stop is not a complete answer, so a restart must not continue from it.
  if (!input.signal.aborted) {
    const { usage, finishReason } = answer
    const noted = answer.calls.map(({ toolCallId, toolName, input: given, actionName, invalid }) => ({
      toolCallId,
      toolName,
      input: given,
      actionName,
      invalid,
    }))
    log.note({
      type: '$model-end',
      step: turn.step,
      calls: noted,
      finishReason,
      elapsedMs: turn.watch.elapsedMs(),
      usage: usage && { ...usage },
    })
    if (noted.length > 0) await log.sync()
  }
  return finishStepCalls(turn, calls, answer)
}

/** Resumes after a crash: the model call had ended, but some of its tool calls may have no result. */
async function resumeStep(turn: Turn, resume: Resume): Promise<boolean> {
  if (hasRefusal(turn)) turn.refuse('A call')
  if (resume.phase === 'between') return shouldContinue(turn, resume)
  const calls = openStepCalls(turn)
  for (const noted of resume.calls) {
    if (noted.invalid !== undefined || hasResult(turn, noted.toolCallId)) continue
    const tool = findTool(noted.toolName, turn.input.tools)
    const { toolCallId, toolName, input, actionName } = noted
    if (tool !== undefined) calls.offer({ toolCallId, toolName, tool, input, actionName })
    else turn.emit({ type: 'tool-output-error', toolCallId, errorText: `The tool ${toolName} is no longer available.` })
  }
  return finishStepCalls(turn, calls, resume)
}

function currentStepText({ fold }: Turn): string {
  const { parts } = fold.snapshot()
  const step = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return step.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

function hasContent({ fold }: Turn): boolean {
  return fold.snapshot().parts.some((part) => (part.type === 'text' ? part.text.trim() !== '' : 'toolCallId' in part))
}

function hasResult({ fold }: Turn, toolCallId: string): boolean {
  const { parts } = fold.snapshot()
  const part = parts.find((candidate) => 'toolCallId' in candidate && candidate.toolCallId === toolCallId)
  return part !== undefined && 'state' in part && String(part.state).startsWith('output-')
}

/** A person refused a call of this step without a remark, so an earlier process was about to end the turn. */
function hasRefusal({ fold }: Turn): boolean {
  const { parts } = fold.snapshot()
  const current = parts.slice(parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return current.some((part) => {
    if (part.type === 'data-ask-answer') return isRefusal((part.data as DataParts['ask-answer']).answer)
    return 'state' in part && part.state === 'output-denied' && 'approval' in part && part.approval.reason === undefined
  })
}

type FinishedModelCall = Pick<ModelAnswer, 'finishReason'> & { calls: readonly unknown[] }

async function finishStepCalls(turn: Turn, calls: StepCalls | undefined, answer: FinishedModelCall): Promise<boolean> {
  const cut = truncationError(answer)
  if (cut !== undefined) calls?.cancel()
  await calls?.finish()
  turn.input.signal.throwIfAborted()
  if (cut !== undefined) settleOpenCalls(turn, cut.message)
  turn.emit({ type: 'finish-step' })
  return shouldContinue(turn, answer)
}

/** Decides if another model call follows. Waits for background sub-agents first. */
async function shouldContinue(turn: Turn, answer: FinishedModelCall): Promise<boolean> {
  if (turn.denied || truncationError(answer) !== undefined) return false
  if (answer.calls.length > 0 || answer.finishReason === pausedFinishReason) return true
  const { input, waiting } = turn
  if (input.idle === undefined) return turn.takeSteering(true)
  do {
    if (turn.takeSteering(false)) return true
  } while (await turn.work(() => input.idle?.(waiting) ?? Promise.resolve(false)))
  return turn.takeSteering(true)
}

function turnCost({ input }: Turn, usage: Usage | undefined): number {
  return costOf(usage, input.model.price) ?? 0
}

/** Tool calls of an answer that ended abnormally are not run, because they may be truncated. */
function truncationError(answer: FinishedModelCall): NamedError | undefined {
  if (answer.calls.length === 0) return undefined
  if (answer.finishReason === 'other' || answer.finishReason === pausedFinishReason) return undefined
  if (answer.finishReason === 'stop' || answer.finishReason === 'tool-calls') return undefined
  const why =
    answer.finishReason === 'length'
      ? "the answer reached the model's output limit"
      : `the model ended with "${answer.finishReason}"`
  return new NamedError('AnswerCutShort', `Not run: ${why} before the step was complete.`)
}

function limitReached({ input, limits, step, usage, watch, repeats }: Turn): Metadata['stopped'] {
  const spent = input.meter?.exceeded()
  if (spent !== undefined) return { reason: 'budget', message: spent }
  if (step >= limits.steps)
    return { reason: 'steps', message: `The turn reached its limit of ${formatCount(limits.steps, 'step')}.` }
  if (limits.tokens !== undefined && (usage?.totalTokens ?? 0) >= limits.tokens)
    return { reason: 'tokens', message: `The turn reached its limit of ${limits.tokens} tokens.` }
  if (limits.ms !== undefined && watch.elapsedMs() >= limits.ms)
    return { reason: 'time', message: `The turn reached its limit of ${limits.ms / 1000} s.` }
  if (repeats.exhausted()) return { reason: 'repeat', message: 'The model kept repeating the same tool call.' }
  return undefined
}

/**
 * Makes a model call and retries after fixable rejections. Shortens a conversation that is too long, and replaces
 * rejected files with text.
 */
async function recoverModelCall<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
  /** A reported limit needs one retry. Without a number it takes several. */
  let triesLeft = 3
  for (;;) {
    turn.enter()
    try {
      const answer = await call()
      if (turn.plainFiles && turn.input.model.accepts === undefined) turn.input.model.onLearned?.({ accepts: [] })
      return answer
    } catch (error) {
      if (!(error instanceof NamedError) || turn.input.signal.aborted) throw error
      if (error.name === 'ContextTooLong' && triesLeft > 0) {
        const tooLong = readContextLimit(error.message)
        triesLeft = tooLong.limit === undefined ? triesLeft - 1 : 0
        await compactIfNeeded(turn, { tooLong })
        turn.input.signal.throwIfAborted()
      } else if (turn.sentFiles && !turn.plainFiles && mayRejectFiles(error)) {
        turn.plainFiles = true
        if (isBlind(turn)) await describeImages(turn)
      } else throw error.name === 'ContextTooLong' ? withAdvice(error) : error
    } finally {
      turn.leave()
    }
  }
}

/** True if the model gets no images, but another model may describe them. */
function isBlind({ input, plainFiles }: Turn): boolean {
  return input.vision !== undefined && (plainFiles || input.model.accepts?.includes('image') === false)
}

/** Loaded when needed, because most models have vision. */
async function describeImages(turn: Turn): Promise<void> {
  const { describeImages: describe } = await import('./describe-images.ts')
  await describe(turn)
}

/** Providers word this error differently, and some give no message. */
function mayRejectFiles({ name, message, data }: NamedError): boolean {
  const { statusCode } = data as { statusCode?: number }
  if (name === 'ContextTooLong') return true
  if (name === 'ProviderRefused')
    return statusCode === undefined || [400, 415, 422].includes(statusCode) || fileErrorPattern.test(message)
  return (name === 'ProviderError' || name === 'ProviderOverloaded') && fileErrorPattern.test(message)
}

const fileErrorPattern =
  /\b(images?|image_url|pdfs?|files?|documents?|attachments?|media|mime|audio|videos?|vision|visual|multi-?modal)\b/i

function withAdvice(error: NamedError): NamedError {
  const { name, message, status, data } = error
  const advice =
    'It is still too long after compaction. Start a new chat, or choose a model with a larger context window.'
  return new NamedError(name, `${message.replace(/[.\s]*$/, '.')} ${advice}`, { status, data, cause: error })
}

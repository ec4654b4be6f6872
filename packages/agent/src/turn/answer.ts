import { NamedError } from '@troupe/protocol'
import { type CheckedOutput, type OutputProblem, retryText } from '../output/ensure.ts'
import { problemOf } from '../output/round.ts'
import { renderPrompt } from '../prompt/render-prompt.ts'
import { setSlots, type Slots } from '../prompt/slots.ts'
import type { ActiveTurn } from './active-turn.ts'
import { hasStructuredOutput, isToolRefusal, resolvePlanning } from './agent-options.ts'
import { type AttemptEnd, runAttempt } from './attempt.ts'
import { planExternally } from './external-planning.ts'
import { actionResults } from './tool-registry.ts'
import { outputRequirement, type TurnResult } from './turn.ts'

/** Requests an answer until one is accepted. Tools run only in the first attempt; later attempts get their results. */
export async function produceAnswer(run: ActiveTurn): Promise<TurnResult<unknown>> {
  const { spec, ctx, emitter, signal, out } = run
  const { extensions, retries } = spec
  signal.throwIfAborted()
  for (const extension of extensions) await extension.requestPrefix?.(ctx)
  let native = spec.tools.length > 0 && resolvePlanning(spec.settings, spec.learnt) === 'native'
  if (spec.tools.length > 0 && !native) await planExternally(run)
  for (const extension of extensions) await emitter.handle(extension.broadcastPrefix?.(ctx))
  for (let attempt = 1; ; attempt++) {
    let end = await attemptAnswer(run, ctx.prompt, native, attempt)
    if (native && end.error !== undefined && mayPlanInstead(run, end.error)) {
      native = false
      await planExternally(run)
      end = await attemptAnswer(run, ctx.prompt, native, attempt)
    }
    signal.throwIfAborted()
    if (run.cut.reason === 'failed') await emitter.settled()
    // An empty answer does not fit the schema. It is retried like any other invalid answer.
    if (end.error !== undefined && (end.error.name !== 'AnswerEmpty' || spec.schema === undefined)) throw end.error
    if (end.stopped !== undefined) ctx.extra['stopped'] = end.stopped
    out.end()
    if (end.cut === 'satisfied') return accept(run, end, attempt, out.partial, true)
    const checked = await check(run, end)
    // A limit or the repeat guard ended the tool calls. A turn without any text has no answer.
    if (end.stopped !== undefined && (!checked.ok || end.text === '')) throw turnStoppedError(end.stopped)
    if (end.stopped !== undefined) emitter.emit({ type: 'warning', message: end.stopped.message })
    if (checked.ok) return accept(run, end, attempt, checked.data, false)
    const problems = end.finishReason === 'length' ? [truncatedProblem, ...checked.problems] : checked.problems
    const isFinal = end.finishReason === 'content-filter' || problems.some((problem) => !problem.retry)
    if (attempt > retries || isFinal) {
      if (spec.otherwise === 'last')
        return accept(run, end, attempt, spec.schema === undefined ? end.text : out.partial, false)
      throw notAcceptedError(problems, attempt, end)
    }
    const reason = retryText(problems)
    out.reset(reason)
    emitter.emit({ type: 'reset', reason, attempt: attempt + 1 })
    ctx.prompt = retryPrompt(run, reason, native)
    native = false
  }
}

type AnswerAttempt = AttemptEnd & { cut: ActiveTurn['cut']['reason'] }

async function attemptAnswer(run: ActiveTurn, slots: Slots, native: boolean, number: number): Promise<AnswerAttempt> {
  const { spec, ctx, emitter, out, cut } = run
  const { settings, schema } = spec
  const formatted = schema !== undefined && !native && hasStructuredOutput(settings, schema.jsonSchema)
  const messages = renderPrompt(slots, outputRequirement(spec), settings)
  const { signal, close } = openAttemptSignal(run)
  // A model may write text before a tool call. Only its last text is the answer.
  if (native) out.hold()
  try {
    const end = await runAttempt({
      settings,
      session: ctx.session,
      runId: run.id,
      signal,
      messages,
      tools: native ? spec.tools : [],
      responseFormat: formatted ? { type: 'json', schema: schema.jsonSchema } : undefined,
      onText(delta) {
        emitter.emit({ type: 'delta', delta })
        out.write(delta)
      },
      onReasoning: (delta) => emitter.emit({ type: 'reasoning', delta }),
      onTool: run.tool,
      onStep(step) {
        emitter.emit({ type: 'step', step })
        out.restart('The model called tools; its answer follows.')
      },
      onRetry: (retry) => emitter.emit({ type: 'retry', ...retry }),
      onReset() {
        const reason = 'The answer was invalid and is requested again.'
        out.reset(reason)
        emitter.emit({ type: 'reset', reason, attempt: number })
      },
    })
    ctx.addUsage(end.usage)
    return { ...end, cut: end.aborted ? cut.reason : undefined }
  } finally {
    close()
  }
}

/** Creates the signal of one attempt, which aborts with the run or when the attempt is aborted. */
function openAttemptSignal({ cut, signal }: ActiveTurn): { signal: AbortSignal; close: () => void } {
  signal.throwIfAborted()
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  cut.reason = undefined
  cut.problems = []
  cut.now = (reason) => {
    cut.reason ??= reason
    controller.abort()
  }
  return {
    signal: controller.signal,
    close() {
      cut.now = () => undefined
      signal.removeEventListener('abort', onAbort)
    },
  }
}

function accept(
  run: ActiveTurn,
  end: AnswerAttempt,
  attempts: number,
  data: unknown,
  satisfied: boolean,
): TurnResult<unknown> {
  const { text, reasoning, finishReason, message } = end
  const { ctx, out } = run
  out.close()
  const { toolLogs, extra } = ctx
  return { data, text, reasoning, attempts, toolLogs, usage: run.usage(), finishReason, satisfied, extra, message }
}

/** If a validator aborted the answer, its problems are the only result. */
async function check(run: ActiveTurn, end: AnswerAttempt): Promise<CheckedOutput<unknown>> {
  if (end.cut === 'invalid') return { ok: false, problems: run.cut.problems }
  const { schema } = run.spec
  if (schema === undefined) return checkText(run, end.text)
  const checked = await run.out.check()
  if (checked.ok || schema.ofBareText === undefined || run.out.end().found) return checked
  const value = await schema.ofBareText(end.text)
  if (value === undefined) return checked
  run.out.restart('The answer is a bare value.')
  run.out.write(JSON.stringify(value))
  return run.out.check()
}

/** A text has no schema, so only validators of the whole answer apply. */
async function checkText({ spec }: ActiveTurn, text: string): Promise<CheckedOutput<unknown>> {
  const verdicts = await Promise.all(spec.validators.map(async ({ check }) => check(text as never)))
  const problems = verdicts.map((verdict) => problemOf(verdict, '')).filter((problem) => problem !== undefined)
  return problems.length === 0 ? { ok: true, data: text } : { ok: false, problems }
}

/** Repeats the prompt with the reason and the results of native tool calls, so that they do not run again. */
function retryPrompt({ ctx, spec }: ActiveTurn, reason: string, native: boolean): Slots {
  const brought = native && ctx.toolLogs.length > 0 ? { actionResults: actionResults(ctx.toolLogs) } : {}
  const told = `The previous answer was not accepted:\n${reason}`
  return setSlots(ctx.prompt, { ...brought, [spec.settings.titles?.['retry'] ?? 'RETRY']: told })
}

function mayPlanInstead({ spec, ctx, emitter }: ActiveTurn, error: NamedError): boolean {
  if ((spec.settings.planning ?? 'auto') !== 'auto' || ctx.toolLogs.length > 0 || !isToolRefusal(error)) return false
  spec.learnt.refusesTools = true
  const message = `The provider refused tools (${error.message}). From now on they are planned in separate requests.`
  emitter.emit({ type: 'warning', message })
  return true
}

function turnStoppedError({ reason, message }: NonNullable<AttemptEnd['stopped']>): NamedError {
  return new NamedError('TurnStopped', message, { status: 422, data: { reason } })
}

const truncatedProblem: OutputProblem = {
  path: '',
  message: "The answer was cut off at the model's output limit. Answer in fewer words.",
  retry: true,
}

function notAcceptedError(
  problems: readonly OutputProblem[],
  attempts: number,
  { text, finishReason }: AnswerAttempt,
): NamedError {
  const what = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
  const tries = attempts === 1 ? 'The answer was not accepted' : `No answer was accepted in ${attempts} attempts`
  return new NamedError('OutputNotAccepted', `${tries} (finish reason: ${finishReason}). ${what}`, {
    status: 422,
    data: { problems, attempts, text, finishReason },
  })
}

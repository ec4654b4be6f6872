import { isUnfinished, addUsage, answerError, toUsage } from '../model/check-answer.ts'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { NamedError, type Chunk, createReasoningNamer } from '@troupe/protocol'
import { describeProviderError, retryDelay } from '../model/provider-error.ts'
import type { SpendTicket } from '../model/spend-guard.ts'
import {
  createTranslator,
  type ModelAnswer,
  type ModelAttempt,
  type ModelCall,
  type Translator,
} from './translate-stream.ts'

/**
 * Streams one model call: chunks go to `emit`, tool calls to `onCall`. Retries once if the answer is unusable. Throws a
 * NamedError when nothing arrived.
 */
export function callModel(input: ModelCall): Promise<ModelAnswer> {
  return tryOnce(input, false).then((answer) => {
    return answer.error === undefined || input.signal.aborted ? answer : retryCall(input, answer)
  })
}

async function retryCall(input: ModelCall, failed: ModelAttempt): Promise<ModelAnswer> {
  let answer = failed
  let { usage } = failed
  let askedAgain = false
  let bare = false
  for (let attempt = 1; ; attempt++) {
    const { error } = answer
    if (error === undefined || input.signal.aborted) return answer
    const { retryable, retryAfterMs, again, forgot } = error.data as RetryData
    const forgotten: boolean = forgot === true && !bare && !answer.started
    const redo: boolean = forgotten || (again === true && !askedAgain && answer.calls.length === 0)
    if (!redo && (answer.started || answer.ended)) return answer
    const delayMs = redo ? 0 : retryable === true && attempt <= input.maxRetries && retryDelay(attempt, retryAfterMs)
    if (delayMs === false || delayMs === undefined) throw error
    bare ||= forgotten
    askedAgain ||= redo
    if (redo && answer.started) input.emit({ type: 'reset-step' })
    input.emit({ type: 'data-retry', data: { attempt, delayMs, message: error.message }, transient: true })
    await sleep(delayMs, input.signal)
    if (input.signal.aborted) return answer
    answer = await tryOnce(input, bare)
    usage = addUsage(usage, answer.usage)
    if (usage !== undefined) answer.usage = usage
  }
}

interface RetryData {
  retryable?: boolean
  retryAfterMs?: number
  /** The same request may be retried once, even after an answer has begun. */
  again?: boolean
  /** The provider no longer knows the data that earlier answers refer to. */
  forgot?: boolean
}

/** Finish reason of a model call that must be continued because the provider paused a long turn. */
export const pausedFinishReason = 'paused'

async function tryOnce(input: ModelCall, bare: boolean): Promise<ModelAttempt> {
  const answer: ModelAttempt = {
    finishReason: 'other',
    calls: [],
    size: 0,
    started: false,
    hasText: false,
    ended: false,
  }
  const { longest = maxAnswerSize } = input
  const controller = new AbortController()
  const { signal } = controller
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  const cancel = (): void => void reader?.cancel().catch(() => undefined)
  const abort = (reason: unknown): void => {
    controller.abort(reason)
    cancel()
  }
  const onAbort = (): void => abort(input.signal.reason)
  if (input.signal.aborted) onAbort()
  else input.signal.addEventListener('abort', onAbort, { once: true })
  let translator: Translator | undefined
  let ticket: SpendTicket | undefined
  const watch = { lastAt: performance.now(), onStall: () => abort(stalled(input.stallMs)) }
  const unwatch = watchStalls(watch, input.stallMs)
  try {
    const onAdmitted = (admitted: SpendTicket): void => {
      ticket = admitted
      watch.lastAt = performance.now()
    }
    reader = (await settled(openStream(input, bare, signal, onAdmitted), signal)).getReader()
    translator = createTranslator(input, answer)
    let finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      watch.lastAt = performance.now()
      if (value.type === 'error') throw value.error
      answer.size += sizeOf(value)
      if (answer.size > longest) throw answerTooLong(longest)
      if (value.type === 'finish') {
        finish = value
        answer.finishReason = value.finishReason.raw === 'pause_turn' ? pausedFinishReason : value.finishReason.unified
        answer.usage = toUsage(value.usage)
      } else {
        const pending = translator.translate(value)
        if (pending !== undefined) await pending
      }
    }
    signal.throwIfAborted()
    if (finish === undefined || isUnfinished(finish.finishReason))
      throw new NamedError('ProviderBadAnswer', 'The provider ended its stream before the answer was finished.', {
        status: 502,
        data: { retryable: true },
      })
    answer.ended = true
    translator.decide()
    const { provider, modelId: model } = input.model
    const { hasText: said, calls } = answer
    const fault = answerError({
      finish,
      provider,
      model,
      hasText: said,
      calls: calls.length,
      hasEarlierText: input.hasEarlierText ?? false,
    })
    if (fault !== undefined) answer.error = fault
  } catch (error) {
    if (!input.signal.aborted) {
      answer.error = describeProviderError(signal.aborted ? signal.reason : error, {
        provider: input.model.provider,
        model: input.model.modelId,
      })
      answer.finishReason = 'error'
    }
    cancel()
  } finally {
    unwatch()
    ticket?.close(answer.usage, answer.size)
    input.signal.removeEventListener('abort', onAbort)
    translator?.close()
  }
  return answer
}

async function openStream(
  { model, options, guard }: ModelCall,
  bare: boolean,
  abortSignal: AbortSignal,
  onAdmitted: (ticket: SpendTicket) => void,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const request = await options(bare)
  const ticket = await guard?.admit(request, abortSignal)
  if (ticket !== undefined) {
    // The attempt has ended meanwhile, so nobody else closes it.
    if (abortSignal.aborted) ticket.close(undefined, 0)
    abortSignal.throwIfAborted()
    onAdmitted(ticket)
  }
  return (await model.doStream({ ...request, abortSignal })).stream
}

/** Maximum size of one model answer, many times what any current model produces. */
export const maxAnswerSize = 8 << 20

const partSize = 16

/** Counts characters of text, reasoning and arguments. File bytes are stored elsewhere and are not counted. */
function sizeOf(part: LanguageModelV4StreamPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return partSize + part.delta.length + metadataSize(part.providerMetadata)
    case 'tool-call':
      return partSize + part.input.length + metadataSize(part.providerMetadata)
    case 'tool-result':
      return partSize + jsonLength(part.result)
    default:
      return partSize + ('providerMetadata' in part ? metadataSize(part.providerMetadata) : 0)
  }
}

function metadataSize(metadata: unknown): number {
  return metadata === undefined ? 0 : jsonLength(metadata)
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

function answerTooLong(characters: number): NamedError {
  const size = characters >= 1 << 20 ? `${Math.round(characters / (1 << 20))} million` : String(characters)
  const text = `The model did not stop, so its answer was ended after ${size} characters. The answer so far is kept.`
  return new NamedError('AnswerTooLong', text, { status: 502, data: { retryable: false } })
}

function stalled(ms: number): NamedError {
  return new NamedError(
    'ProviderStall',
    `The provider sent nothing for ${ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`}.`,
    {
      status: 504,
      data: { retryable: true },
    },
  )
}

/** Races a promise against the signal, so a provider that ignores the signal cannot delay a stop. */
async function settled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // If the signal wins, nothing else handles a rejection.
  work.catch(() => undefined)
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}

/** One timer serves all calls of the process, so watching a call costs an entry, not a timer. */
const watched = new Map<Watched, number>()
let timer: NodeJS.Timeout | undefined
let nextLookAt = Infinity

interface Watched {
  /** Time of the last activity, from `performance.now()`. */
  lastAt: number
  onStall(): void
}

/**
 * Calls `onStall` once if nothing arrives for `stallMs`, at most a quarter of that late. Returns a function that ends
 * the watch.
 */
export function watchStalls(call: Watched, stallMs: number): () => void {
  watched.set(call, stallMs)
  lookWithin(stallMs / 4)
  return () => {
    watched.delete(call)
    if (watched.size === 0) stopLooking()
  }
}

/** Reschedules the shared timer earlier for a call with a shorter limit. */
function lookWithin(ms: number): void {
  const at = performance.now() + Math.max(10, ms)
  if (at >= nextLookAt) return
  stopLooking()
  nextLookAt = at
  timer = setTimeout(look, Math.max(10, ms))
}

function stopLooking(): void {
  clearTimeout(timer)
  timer = undefined
  nextLookAt = Infinity
}

function look(): void {
  stopLooking()
  const now = performance.now()
  for (const [call, stallMs] of watched) {
    if (now - call.lastAt < stallMs) continue
    watched.delete(call)
    call.onStall()
  }
  if (watched.size > 0) lookWithin(Math.min(...new Set(watched.values())) / 4)
}

/**
 * Records the duration of each reasoning part of a step. The duration is emitted before the end chunk, so clients have
 * it when they see the end. It is message metadata, which no provider receives.
 */
export function timeReasoning(step: number, emit: (chunk: Chunk) => void): (chunk: Chunk) => void {
  let name: ReturnType<typeof createReasoningNamer> | undefined
  let open: Map<string, { name: string; begun: number }> | undefined
  return (chunk) => {
    if (chunk.type === 'reset-step') {
      name = undefined
      open = undefined
    }
    if (chunk.type === 'reasoning-start') {
      name ??= createReasoningNamer()
      open ??= new Map()
      open.set(chunk.id, { name: name(step, chunk.id), begun: performance.now() })
    } else if (chunk.type === 'reasoning-end') {
      const thought = open?.get(chunk.id)
      open?.delete(chunk.id)
      if (thought !== undefined) {
        const reasoningMs = { [thought.name]: Math.round(performance.now() - thought.begun) }
        emit({ type: 'message-metadata', messageMetadata: { reasoningMs } })
      }
    }
    emit(chunk)
  }
}

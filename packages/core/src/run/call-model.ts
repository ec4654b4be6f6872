import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Blobs } from '../blobs.ts'
import type { Chunk, Usage } from '../protocol/message.ts'
import type { Tool } from '../tool.ts'
import type { Call } from './parse-call.ts'
import type { RunInput } from './run-input.ts'
import { describeProviderError, isUnfinished } from './provider-error.ts'
import { retryDelay } from './retry.ts'
import { createTranslator, type Translator } from './translate-parts.ts'
import { toUsage } from './usage.ts'
import { watchStalls } from './watch-stalls.ts'
import { NamedError } from '../error.ts'

type CallOptions = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> & RunInput['callOptions']

export interface ModelCall {
  model: LanguageModelV4
  /** Made for each try and kept by nobody: a long prompt must not live as long as its answer. */
  options: () => Promise<CallOptions>
  tools: readonly Tool[]
  signal: AbortSignal
  blobs?: Blobs
  /** Tries before the first byte. */
  maxRetries: number
  /** A provider that sends nothing for this long has stalled. */
  stallMs: number
  emit: (chunk: Chunk) => void
  /** Called for each call as soon as its arguments are complete, in model order. */
  onCall: (call: Call) => void
  /** Whether a call id is free in this session; it is taken from then on. */
  takeCallId: (id: string) => Promise<boolean>
}

export interface ModelAnswer {
  finishReason: string
  usage?: Usage
  calls: Call[]
  /** What went wrong in mid-stream; what had arrived stays. */
  error?: NamedError
}

/** Streams one model call: its chunks go to `emit`, its calls to `onCall`. Throws a NamedError when nothing arrived. */
export async function callModel(input: ModelCall): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await tryOnce(input)
    if (answer.error === undefined || answer.started || input.signal.aborted) return answer
    const { retryable, retryAfterMs } = answer.error.data as { retryable?: boolean; retryAfterMs?: number }
    if (retryable !== true || attempt > input.maxRetries) throw answer.error
    const delayMs = retryDelay(attempt, retryAfterMs)
    if (delayMs === undefined) throw answer.error
    input.emit({ type: 'data-retry', data: { attempt, delayMs, message: answer.error.message }, transient: true })
    await pause(delayMs, input.signal)
    if (input.signal.aborted) return answer
  }
}

async function tryOnce(input: ModelCall): Promise<ModelAnswer & { started: boolean }> {
  const answer: ModelAnswer & { started: boolean } = { finishReason: 'other', calls: [], started: false }
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
  const watch = { lastAt: performance.now(), onStall: () => abort(stalled(input.stallMs)) }
  const unwatch = watchStalls(watch, input.stallMs)
  try {
    reader = (await settled(open(input, signal), signal)).getReader()
    translator = createTranslator(input, answer)
    let finished = false
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      watch.lastAt = performance.now()
      if (value.type === 'error') throw value.error
      if (value.type === 'finish') {
        finished = !isUnfinished(value.finishReason)
        answer.finishReason = value.finishReason.unified
        answer.usage = toUsage(value.usage)
      } else {
        const pending = translator.translate(value)
        if (pending !== undefined) await pending
      }
    }
    signal.throwIfAborted()
    if (!finished)
      throw new NamedError('ProviderBadAnswer', 'The provider ended its stream before the answer was finished.', {
        status: 502,
        data: { retryable: true },
      })
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
    input.signal.removeEventListener('abort', onAbort)
    translator?.close()
  }
  return answer
}

async function open(
  { model, options }: ModelCall,
  abortSignal: AbortSignal,
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  return (await model.doStream({ ...(await options()), abortSignal })).stream
}

function stalled(ms: number): NamedError {
  return new NamedError('ProviderStall', `The provider sent nothing for ${Math.round(ms / 1000)} s.`, {
    status: 504,
    data: { retryable: true },
  })
}

/** A promise that loses to the signal: a provider that ignores it cannot hold a stop back. */
async function settled<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
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

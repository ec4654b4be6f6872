import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import type { Blobs } from '../blobs.ts'
import type { Chunk, Usage } from '../protocol/message.ts'
import { isId, newId } from '../protocol/ids.ts'
import type { Tool } from '../tool.ts'
import { findTool } from '../tool-set.ts'
import { parseCall, type Call } from './parse-call.ts'
import { describeProviderError, isUnfinished } from './provider-error.ts'
import { retryDelay } from './retry.ts'
import { toUsage } from './usage.ts'
import { NamedError } from '../error.ts'

export interface ModelCall {
  model: LanguageModelV4
  options: Pick<
    LanguageModelV4CallOptions,
    'prompt' | 'tools' | 'providerOptions' | 'maxOutputTokens' | 'temperature' | 'topP' | 'reasoning'
  >
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
  const onAbort = (): void => controller.abort(input.signal.reason)
  if (input.signal.aborted) onAbort()
  else input.signal.addEventListener('abort', onAbort, { once: true })
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
  const cancel = (): void => void reader?.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let translator: Translator | undefined
  let lastAt = performance.now()
  const watch = setInterval(
    () => {
      if (performance.now() - lastAt >= input.stallMs) controller.abort(stalled(input.stallMs))
    },
    Math.max(10, input.stallMs / 4),
  )
  try {
    const { stream } = await settled(input.model.doStream({ ...input.options, abortSignal: signal }), signal)
    reader = stream.getReader()
    translator = createTranslator(input, answer)
    let finished = false
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      lastAt = performance.now()
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
    clearInterval(watch)
    input.signal.removeEventListener('abort', onAbort)
    translator?.close()
  }
  return answer
}

function stalled(ms: number): NamedError {
  return new NamedError('ProviderStall', `The provider sent nothing for ${Math.round(ms / 1000)} s.`, {
    status: 504,
    data: { retryable: true },
  })
}

/** Turns provider stream parts into chunks. */
interface Translator {
  /** Returns a promise only where something has to be waited for. */
  translate: (part: LanguageModelV4StreamPart) => Promise<void> | undefined
  /** Ends the texts that the provider left open, so that nothing is shown as streaming any more. */
  close: () => void
}

function createTranslator(input: ModelCall, answer: ModelAnswer & { started: boolean }): Translator {
  const { emit } = input
  const open = new Map<string, Extract<Chunk, { type: 'text-end' | 'reasoning-end' }>>()
  let ids: Map<string, string> | undefined
  return {
    translate,
    close() {
      for (const end of open.values()) emit(end)
    },
  }

  function translate(part: LanguageModelV4StreamPart): Promise<void> | undefined {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        answer.started = true
        if (part.providerMetadata !== undefined)
          emit({ type: part.type, id: part.id, delta: part.delta, providerMetadata: part.providerMetadata })
        else if (part.delta !== '') emit({ type: part.type, id: part.id, delta: part.delta })
        return undefined
      case 'text-start':
      case 'reasoning-start': {
        answer.started = true
        const type = part.type === 'text-start' ? 'text-end' : 'reasoning-end'
        open.set(`${type} ${part.id}`, { type, id: part.id })
        emit(part)
        return undefined
      }
      case 'text-end':
      case 'reasoning-end':
        open.delete(`${part.type} ${part.id}`)
        emit(part)
        return undefined
      case 'tool-input-start':
        answer.started = true
        return inputStart(part)
      case 'tool-input-delta': {
        const toolCallId = ids?.get(part.id)
        if (toolCallId !== undefined && part.delta !== '')
          emit({ type: 'tool-input-delta', toolCallId, inputTextDelta: part.delta })
        return undefined
      }
      case 'tool-call':
        answer.started = true
        return toolCall(part)
      case 'tool-result': {
        const toolCallId = ids?.get(part.toolCallId) ?? part.toolCallId
        const extra = {
          providerExecuted: true,
          ...(part.providerMetadata !== undefined && { providerMetadata: part.providerMetadata }),
        }
        if (part.isError === true)
          emit({ type: 'tool-output-error', toolCallId, errorText: textOf(part.result), ...extra })
        else
          emit({
            type: 'tool-output-available',
            toolCallId,
            output: part.result,
            ...(part.preliminary === true && { preliminary: true }),
            ...extra,
          })
        return undefined
      }
      case 'file':
      case 'reasoning-file':
        answer.started = true
        return file(part)
      case 'source':
        answer.started = true
        if (part.sourceType === 'url')
          emit(
            defined({
              type: 'source-url',
              sourceId: part.id,
              url: part.url,
              title: part.title,
              providerMetadata: part.providerMetadata,
            }) as Chunk,
          )
        else
          emit(
            defined({
              type: 'source-document',
              sourceId: part.id,
              mediaType: part.mediaType,
              title: part.title,
              filename: part.filename,
              providerMetadata: part.providerMetadata,
            }) as Chunk,
          )
        return undefined
      case 'custom':
        answer.started = true
        emit(defined({ type: 'custom', kind: part.kind, providerMetadata: part.providerMetadata }) as Chunk)
        return undefined
      default:
        return undefined
    }
  }

  async function ourId(providerId: string): Promise<string> {
    const known = ids?.get(providerId)
    if (known !== undefined) return known
    const id = isId(providerId) && (await input.takeCallId(providerId)) ? providerId : newId('call_')
    if (id !== providerId) await input.takeCallId(id)
    ids ??= new Map()
    ids.set(providerId, id)
    return id
  }

  async function inputStart(part: Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>): Promise<void> {
    const toolCallId = await ourId(part.id)
    const toolName = findTool(part.toolName, input.tools)?.name ?? part.toolName
    emit(defined({ ...part, id: undefined, toolCallId, toolName }) as Chunk)
  }

  async function toolCall(part: LanguageModelV4ToolCall): Promise<void> {
    const toolCallId = await ourId(part.toolCallId)
    const shared = defined({
      providerExecuted: part.providerExecuted,
      providerMetadata: part.providerMetadata,
      dynamic: part.dynamic,
    })
    if (part.providerExecuted === true) {
      emit({ type: 'tool-input-available', toolCallId, toolName: part.toolName, input: tryJson(part.input), ...shared })
      return
    }
    const call = parseCall({ toolCallId, toolName: part.toolName, input: part.input }, input.tools)
    answer.calls.push(call)
    const { toolName } = call
    const notes = call.actionName === undefined ? {} : { toolMetadata: { troupe: { actionName: call.actionName } } }
    if (call.invalid !== undefined) {
      emit({
        type: 'tool-input-error',
        toolCallId,
        toolName,
        input: call.input,
        errorText: call.invalid,
        ...shared,
        ...notes,
        ...(call.tool === undefined && { dynamic: true }),
      })
    } else emit({ type: 'tool-input-available', toolCallId, toolName, input: call.input, ...shared, ...notes })
    input.onCall(call)
  }

  async function file(part: Extract<LanguageModelV4StreamPart, { type: 'file' | 'reasoning-file' }>): Promise<void> {
    let url: string
    if (part.data.type === 'url') url = part.data.url.href
    else {
      const bytes = typeof part.data.data === 'string' ? Buffer.from(part.data.data, 'base64') : part.data.data
      if (input.blobs === undefined) url = `data:${part.mediaType};base64,${Buffer.from(bytes).toString('base64')}`
      else url = `/ai/blobs/${(await input.blobs.put(bytes, part.mediaType)).sha256}`
    }
    emit(defined({ type: part.type, url, mediaType: part.mediaType, providerMetadata: part.providerMetadata }) as Chunk)
  }
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

function defined(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type LanguageModelV4Usage,
  type SharedV4ProviderMetadata,
  type SharedV4Warning,
} from '@ai-sdk/provider'
import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible'
import { getResponseMetadata, mapOpenAICompatibleFinishReason } from '@ai-sdk/openai-compatible/internal'
import {
  combineHeaders,
  extractResponseHeaders,
  type FlexibleSchema,
  generateId,
  isAbortError,
  postToApi,
  resolve,
  type ParseResult,
  type ResponseHandler,
  safeParseJSON,
  StreamingToolCallTracker,
} from '@ai-sdk/provider-utils'
import { createParser } from 'eventsource-parser'
import { type Chunk, type Delta, readChunk, type ToolCallDelta } from './chat-completion-chunk.ts'
import { maxLineBytes, type StreamingFetch } from './guard-fetch.ts'

/**
 * A chat model of the SDK that reads its stream without web streams and schemas, at a third of the CPU (decision 017).
 * The SDK still builds the requests and the errors, and it validates every chunk with an unusual shape.
 */
export function readChatCompletions(model: LanguageModelV4): LanguageModelV4 {
  return model instanceof OpenAICompatibleChatLanguageModel
    ? new ChatCompletions(model.modelId, model['config'])
    : model
}

class ChatCompletions extends OpenAICompatibleChatLanguageModel {
  /** The tools of the last request and their JSON: most of a request, and the same in every step. */
  #tools: { given: readonly unknown[]; text: string } | undefined

  override async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { metadataExtractor, includeUsage, headers, fetch } = this.config
    const { unlimited = fetch, tooLong } = (fetch ?? {}) as Partial<StreamingFetch>
    if (options.includeRawChunks === true || metadataExtractor !== undefined) return super.doStream(options)
    const sdk = this as unknown as Internals
    const { args, warnings, metadataKey } = await sdk.getArgs(options)
    const stream = { stream: true, stream_options: includeUsage === true ? { include_usage: true } : undefined }
    const body = sdk.transformRequestBody({ ...args, ...stream }, warnings)
    const url = this.config.url({ path: '/chat/completions', modelId: this.modelId })
    const { value: response, responseHeaders = {} } = await postToApi({
      url,
      headers: { 'Content-Type': 'application/json', ...combineHeaders(await resolve(headers), options.headers) },
      body: { content: this.#jsonOf(body, body['tools'] === args['tools'] ? options.tools : undefined), values: body },
      failedResponseHandler: sdk.failedResponseHandler,
      successfulResponseHandler: ({ response }) =>
        response.body === null
          ? Promise.reject(new EmptyResponseBodyError({}))
          : Promise.resolve({ value: response, responseHeaders: extractResponseHeaders(response) }),
      abortSignal: options.abortSignal,
      fetch: unlimited,
    })
    const answer = new ChatAnswer(warnings, metadataKey, (usage) => sdk.convertUsage(usage))
    return {
      stream: streamParts(response.body!, answer, {
        validate: (text) => safeParseJSON({ text, schema: sdk.chunkSchema }),
        readError: (cause) =>
          toApiError(cause, { url, requestBodyValues: body, statusCode: response.status, responseHeaders }),
        tooLong: () => tooLong?.() ?? new Error('An event is too long.'),
      }),
      request: { body },
      response: { headers: responseHeaders },
    }
  }

  /** `given`: the tools that those of the body were made from, if only from them. */
  #jsonOf(body: Record<string, unknown>, given: readonly unknown[] | undefined): string {
    if (given === undefined) return JSON.stringify(body)
    const fields = Object.entries(body).flatMap(([name, value]) => {
      const text = name === 'tools' ? this.#toolsText(value, given) : JSON.stringify(value)
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
    })
    return `{${fields.join(',')}}`
  }

  #toolsText(tools: unknown, given: readonly unknown[]): string {
    const last = this.#tools
    if (last?.given.length === given.length && given.every((tool, index) => tool === last.given[index]))
      return last.text
    const text = JSON.stringify(tools)
    this.#tools = { given, text }
    return text
  }
}

/** Private members of the SDK's class. A test compares the results, so a changed member is noticed. */
interface Internals {
  getArgs(
    options: LanguageModelV4CallOptions,
  ): Promise<{ args: Record<string, unknown>; warnings: SharedV4Warning[]; metadataKey: string }>
  transformRequestBody(body: Record<string, unknown>, warnings: SharedV4Warning[]): Record<string, unknown>
  convertUsage(usage: Chunk['usage']): LanguageModelV4Usage
  failedResponseHandler: ResponseHandler<APICallError>
  chunkSchema: FlexibleSchema<Chunk | { error: unknown }>
}

/** Reads a network chunk per pull, since each promise costs more than the parts of an event. */
function streamParts(
  body: ReadableStream<Uint8Array>,
  answer: ChatAnswer,
  { validate, readError, tooLong }: StreamRules,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let events: string[] = []
  /** Thrown once the parts before it are read. A stream in error drops its queue. */
  let failure: { error: unknown } | undefined
  const parser = createParser({
    maxBufferSize: maxLineBytes,
    onEvent: ({ data }) => data !== '[DONE]' && events.push(data),
    onError: ({ type }) => type === 'max-buffer-size-exceeded' && fail(tooLong()),
  })
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      start: (controller) => send(controller),
      async pull(controller) {
        let isSent = false
        while (!isSent && failure === undefined) isSent = await readMore(controller)
        if (!isSent) throw failure?.error
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

  async function readMore(controller: PartController): Promise<boolean> {
    const read = await reader.read().catch(async (error: unknown) => {
      fail(await readError(error))
    })
    if (read === undefined) return false
    parser.feed(read.done ? decoder.decode() : decoder.decode(read.value, { stream: true }))
    const received = events
    events = []
    let isSent = false
    try {
      for (const text of received) {
        const chunk = readChunk(text)
        if (chunk !== undefined) answer.add(chunk)
        else answer.addParsed(await validate(text))
        isSent = send(controller) || isSent
      }
      if (read.done && failure === undefined) answer.end()
    } catch (error) {
      fail(error)
    }
    isSent = send(controller) || isSent
    if (read.done && failure === undefined) controller.close()
    return isSent || (read.done && failure === undefined)
  }

  function fail(error: unknown): void {
    failure ??= { error }
    reader.cancel(error).catch(() => undefined)
  }

  function send(controller: PartController): boolean {
    const { parts } = answer
    for (const part of parts) controller.enqueue(part)
    const isSent = parts.length > 0
    parts.length = 0
    return isSent
  }
}

interface StreamRules {
  validate(text: string): Promise<ParseResult<Chunk | { error: unknown }>>
  readError(cause: unknown): Promise<unknown>
  tooLong(): Error
}

type PartController = Pick<ReadableStreamDefaultController<LanguageModelV4StreamPart>, 'enqueue' | 'close'>

/** Turns chunks into stream parts, in the SDK's order. Collects them in `parts`. */
class ChatAnswer {
  readonly parts: LanguageModelV4StreamPart[]
  readonly #metadataKey: string
  readonly #convertUsage: (usage: Chunk['usage']) => LanguageModelV4Usage
  readonly #calls: StreamingToolCallTracker<ToolCallDelta>
  /** Calls by index whose name has not come yet. */
  readonly #unnamed = new Map<number, Required<NamedDelta>>()
  readonly #named = new Set<number>()
  #isIdentified = false
  #isRefused = false
  #isFailed = false
  #open: 'text' | 'reasoning' | undefined
  #finishReason: string | undefined
  #usage: Chunk['usage']

  constructor(
    warnings: SharedV4Warning[],
    metadataKey: string,
    convertUsage: (usage: Chunk['usage']) => LanguageModelV4Usage,
  ) {
    this.#metadataKey = metadataKey
    this.#convertUsage = convertUsage
    this.parts = [{ type: 'stream-start', warnings }]
    this.#calls = new StreamingToolCallTracker<ToolCallDelta>(
      { enqueue: (part) => void this.parts.push(part as LanguageModelV4StreamPart) },
      {
        generateId,
        extractMetadata(delta) {
          const thoughtSignature = delta.extra_content?.google?.thought_signature
          return thoughtSignature ? { [metadataKey]: { thoughtSignature } } : undefined
        },
        buildToolCallProviderMetadata: (metadata) => metadata,
      },
    )
  }

  addParsed(parsed: ParseResult<Chunk | { error: unknown }>): void {
    if (!parsed.success) this.#fail(parsed.error)
    else if ('error' in parsed.value) this.#fail(parsed.value.error)
    else this.add(parsed.value)
  }

  add(chunk: Chunk): void {
    if (!this.#isIdentified) this.#identify(chunk)
    if (chunk.usage != null) this.#usage = chunk.usage
    const choice = chunk.choices[0]
    if (choice?.finish_reason != null) this.#finishReason = choice.finish_reason
    const delta = choice?.delta
    if (delta == null) return
    this.#addReasoning(delta.reasoning_content ?? delta.reasoning)
    this.#addContent(delta.content)
    if (delta.refusal) {
      this.#isRefused = true
      this.#addText(delta.refusal)
    }
    if (delta.tool_calls == null || delta.tool_calls.length === 0) return
    if (this.#open === 'reasoning') this.#close()
    for (const call of delta.tool_calls) this.#addCall(call)
  }

  end(): void {
    this.#close()
    for (const [index, { id, args }] of this.#unnamed)
      this.#calls.processDelta({ index, id, function: { arguments: args } })
    this.#calls.flush()
    const raw = this.#finishReason
    if (raw === undefined && !this.#isFailed)
      this.#fail(
        new InvalidResponseDataError({
          data: undefined,
          message: 'Response stream ended without a finish reason.',
        }),
      )
    const unified = raw === undefined ? 'error' : mapOpenAICompatibleFinishReason(raw, { hasRefusal: this.#isRefused })
    const details = this.#usage?.completion_tokens_details
    const own: SharedV4ProviderMetadata[string] = {}
    if (details?.accepted_prediction_tokens != null)
      own['acceptedPredictionTokens'] = details.accepted_prediction_tokens
    if (details?.rejected_prediction_tokens != null)
      own['rejectedPredictionTokens'] = details.rejected_prediction_tokens
    this.parts.push({
      type: 'finish',
      finishReason: { unified, raw },
      usage: this.#convertUsage(this.#usage),
      providerMetadata: { [this.#metadataKey]: own },
    })
  }

  #identify(chunk: Chunk): void {
    const metadata = getResponseMetadata(chunk)
    if (!Object.values(metadata).some(Boolean)) return
    this.#isIdentified = true
    this.parts.push({ type: 'response-metadata', ...metadata })
  }

  #fail(error: unknown): void {
    this.#isFailed = true
    this.#finishReason = undefined
    this.parts.push({ type: 'error', error })
  }

  #addContent(content: Delta['content']): void {
    if (typeof content === 'string') return this.#addText(content)
    for (const part of content ?? []) {
      if (part.type === 'text' && typeof part['text'] === 'string') this.#addText(part['text'])
      else if (part.type === 'thinking' && Array.isArray(part['thinking']))
        this.#addReasoning(part['thinking'].map(textOf).join(''))
    }
  }

  #addText(delta: string): void {
    if (delta === '') return
    if (this.#open !== 'text') {
      this.#close()
      this.#open = 'text'
      this.parts.push({ type: 'text-start', id: textId })
    }
    this.parts.push({ type: 'text-delta', id: textId, delta })
  }

  #addReasoning(delta: string | null | undefined): void {
    if (!delta) return
    if (this.#open !== 'reasoning') {
      this.#close()
      this.#open = 'reasoning'
      this.parts.push({ type: 'reasoning-start', id: reasoningId })
    }
    this.parts.push({ type: 'reasoning-delta', id: reasoningId, delta })
  }

  #close(): void {
    if (this.#open === 'text') this.parts.push({ type: 'text-end', id: textId })
    else if (this.#open === 'reasoning') this.parts.push({ type: 'reasoning-end', id: reasoningId })
    this.#open = undefined
  }

  /** The SDK's tracker needs the name in a call's first delta. Some servers send it later. */
  #addCall(delta: ToolCallDelta): void {
    const { index } = delta
    if (index == null || this.#named.has(index)) return this.#calls.processDelta(delta)
    const before = this.#unnamed.get(index)
    const id = before?.id ?? delta.id ?? null
    const extra = before?.extra ?? delta.extra_content ?? null
    const args = (before?.args ?? '') + (delta.function?.arguments ?? '')
    const name = delta.function?.name
    if (name == null) {
      this.#unnamed.set(index, { id, extra, args })
      return
    }
    this.#calls.processDelta({ index, id, function: { name, arguments: args }, extra_content: extra ?? undefined })
    this.#unnamed.delete(index)
    this.#named.add(index)
  }
}

const textId = 'txt-0'
const reasoningId = 'reasoning-0'

function textOf(part: unknown): string {
  const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : ''
}

interface NamedDelta {
  id: string | null
  args: string
  extra: ToolCallDelta['extra_content']
}

/** Describes a broken body like the SDK, whose own function for it is private: network errors can be retried. */
async function toApiError(
  cause: unknown,
  call: { url: string; requestBodyValues: unknown; statusCode: number; responseHeaders: Record<string, string> },
): Promise<unknown> {
  if (isAbortError(cause)) return cause
  const error = new APICallError({ message: 'Failed to process successful response', cause, ...call })
  const unused = (): Promise<never> => Promise.reject(error)
  return postToApi({
    url: call.url,
    body: { content: '', values: call.requestBodyValues },
    fetch: unused,
    failedResponseHandler: unused,
    successfulResponseHandler: unused,
  }).catch((described: unknown) => described)
}

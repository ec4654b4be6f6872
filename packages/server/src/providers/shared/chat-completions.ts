import {
  APICallError,
  EmptyResponseBodyError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  type LanguageModelV4Usage,
  type SharedV4Warning,
} from '@ai-sdk/provider'
import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible'
import {
  combineHeaders,
  extractResponseHeaders,
  type FlexibleSchema,
  isAbortError,
  postToApi,
  resolve,
  type ResponseHandler,
  safeParseJSON,
} from '@ai-sdk/provider-utils'
import { createParser } from 'eventsource-parser'
import { type Chunk, readChunk } from './chat-completion-chunk.ts'
import { maxLineBytes, type StreamingFetch } from './guard-fetch.ts'
import { ChatAnswer, type StreamRules, type PartController } from './chat-answer.ts'

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

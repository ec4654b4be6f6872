import { createHash } from 'node:crypto'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { MediaFactory } from './media-models.ts'
import type { CreateOptions, ModelFactory } from './provider.ts'

type Prepare = (options: LanguageModelV4CallOptions, modelId: string) => LanguageModelV4CallOptions

/** Returns options for a retry after this error, or undefined. */
type Repair = (error: unknown, options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions | undefined

/** Wraps a provider's models to add the options its API needs in every call. */
export function prepareCalls(factory: ModelFactory, prepare: Prepare, mend?: Repair): ModelFactory {
  return new Proxy(factory, {
    apply(target, _, [modelId]: [string]) {
      const model = target(modelId)
      const prepared: LanguageModelV4 = {
        specificationVersion: 'v4',
        provider: model.provider,
        modelId: model.modelId,
        supportedUrls: model.supportedUrls,
        doGenerate: (options) => call((given) => model.doGenerate(given), prepare(options, modelId)),
        doStream: (options) => call((given) => model.doStream(given), prepare(options, modelId)),
      }
      return prepared
    },
  })

  async function call<T>(
    work: (options: LanguageModelV4CallOptions) => PromiseLike<T>,
    options: LanguageModelV4CallOptions,
  ): Promise<T> {
    try {
      return await work(options)
    } catch (error) {
      const mended = mend?.(error, options)
      if (mended === undefined) throw error
      return work(mended)
    }
  }
}

type Options = Record<string, unknown>

/** Adds default provider options to a call. The call's own options take precedence. */
export function withOptions(
  options: LanguageModelV4CallOptions,
  provider: string,
  defaults: Options,
): LanguageModelV4CallOptions {
  const { providerOptions } = options
  const merged = { ...defaults, ...providerOptions?.[provider] }
  return { ...options, providerOptions: { ...providerOptions, [provider]: merged } as typeof providerOptions & object }
}

/**
 * Builds the options of an SDK's `create…` function. Always sets the key, even to empty: otherwise an SDK would read it
 * from the environment and send it to whatever `baseURL` points to.
 */
export function sdkOptions({ apiKey = '', baseURL, headers, fetch }: CreateOptions) {
  return { apiKey, baseURL: baseURL || undefined, headers, fetch }
}

export async function createOpenAICompatible(options: CreateOptions): Promise<ModelFactory> {
  const { id = 'custom', apiKey, baseURL, headers, fetch } = options
  if (!baseURL) throw new Error('it has no base URL')
  const [sdk, { readChatCompletions }] = await Promise.all([
    import('@ai-sdk/openai-compatible'),
    import('./chat-completions.ts'),
  ])
  const provider = sdk.createOpenAICompatible({
    name: id,
    baseURL,
    includeUsage: true,
    transformRequestBody: (body) => markChatCompletion(forMistral(body)),
    apiKey,
    headers,
    fetch,
  })
  return new Proxy(Object.assign(provider, audioModels(options)), {
    apply: (target, _, [modelId]: [string]) => readChatCompletions(target(modelId)),
  })
}

/**
 * Models of `/audio/transcriptions` and `/audio/speech`, which the SDK for compatible servers lacks. Loads OpenAI's SDK
 * with the first request.
 */
function audioModels(options: CreateOptions): MediaFactory {
  const { id: provider = 'custom' } = options
  const open = async () => (await import('@ai-sdk/openai')).createOpenAI({ ...sdkOptions(options), name: provider })
  return {
    transcriptionModel: (modelId) => ({
      specificationVersion: 'v4',
      provider,
      modelId,
      doGenerate: async (call) => (await open()).transcription(modelId).doGenerate(call),
    }),
    speechModel: (modelId) => ({
      specificationVersion: 'v4',
      provider,
      modelId,
      doGenerate: async (call) => (await open()).speech(modelId).doGenerate(call),
    }),
  }
}

interface Message {
  role: string
  tool_call_id?: string
  tool_calls?: { id: string }[]
}

const family = /mistral|mixtral|ministral|magistral|codestral|devstral|pixtral/i

/**
 * Adapts a request for Mistral models on any host. They reject a user message right after tool results (file contents
 * or steering). They also reject call ids that are not nine alphanumeric characters, such as those of other models.
 * Other models' requests stay unchanged.
 */
function forMistral<Body extends Record<string, unknown>>(body: Body): Body {
  const { model, messages } = body
  if (typeof model !== 'string' || !family.test(model) || !Array.isArray(messages)) return body
  const given = messages as Message[]
  const bridged = given.flatMap((message, index) => {
    const follows = message.role === 'user' && given[index - 1]?.role === 'tool'
    return follows ? [{ role: 'assistant', content: 'I have the results.' }, message] : [message]
  })
  return { ...body, messages: bridged.map(withShortIds) }
}

function withShortIds(message: Message): Message {
  const { tool_call_id: id, tool_calls: calls } = message
  if (id !== undefined) return { ...message, tool_call_id: shortId(id) }
  if (calls === undefined) return message
  return { ...message, tool_calls: calls.map((call) => ({ ...call, id: shortId(call.id) })) }
}

function shortId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
}

const mark = { type: 'ephemeral' }

/**
 * Adds cache markers for providers that cache only marked content: the tools, the instructions, and the last two
 * non-assistant messages. The earlier of those ended the previous request, so the cache finds it regardless of blocks
 * added since. Such providers accept at most four markers.
 */
export function markCache(options: LanguageModelV4CallOptions, provider: string): LanguageModelV4CallOptions {
  const { prompt, tools } = options
  const marked = new Set([prompt.findLastIndex(({ role }) => role === 'system'), ...lastInputs(prompt)])
  return {
    ...options,
    prompt: prompt.map((message, index) => (marked.has(index) ? markMessage(message, provider) : message)),
    tools: tools?.map((tool, index) =>
      index === tools.length - 1 && tool.type === 'function' ? withMark(tool, provider) : tool,
    ),
  }
}

/** Returns the ends of this request and of the previous one. */
function lastInputs(prompt: LanguageModelV4Prompt): number[] {
  const isInput = ({ role }: LanguageModelV4Message): boolean => role === 'user' || role === 'tool'
  const last = prompt.findLastIndex(isInput)
  const answer = prompt.findLastIndex(({ role }, index) => role === 'assistant' && index < last)
  return [last, prompt.findLastIndex((message, index) => index < answer && isInput(message))]
}

function markMessage(message: LanguageModelV4Message, provider: string): LanguageModelV4Message {
  if (message.role === 'system') return withMark(message, provider)
  const content = message.content.map((part, index) =>
    index === message.content.length - 1 ? withMark(part, provider) : part,
  )
  return { ...message, content } as LanguageModelV4Message
}

function withMark<T extends { providerOptions?: SharedV4ProviderOptions }>(value: T, provider: string): T {
  const own = { ...value.providerOptions?.[provider], cacheControl: mark }
  return { ...value, providerOptions: { ...value.providerOptions, [provider]: own } }
}

interface ChatMessage {
  role: string
  content?: unknown
}

const needsMarks = /(^|[/.])claude|^anthropic\//i

/**
 * Adds the same markers to a chat completion, for Claude behind a router (OpenRouter, LiteLLM) that forwards them.
 * Other models' requests stay unchanged.
 */
function markChatCompletion<Body extends Record<string, unknown>>(body: Body): Body {
  const { model, messages } = body
  if (typeof model !== 'string' || !needsMarks.test(model) || !Array.isArray(messages)) return body
  const given = messages as ChatMessage[]
  const last = given.findLastIndex(({ role }) => role !== 'assistant')
  const answer = given.findLastIndex(({ role }, index) => role === 'assistant' && index < last)
  const before = given.findLastIndex(({ role }, index) => index < answer && role !== 'assistant')
  const marked = new Set([given.findLastIndex(({ role }) => role === 'system'), last, before])
  return { ...body, messages: given.map((message, index) => (marked.has(index) ? markChatMessage(message) : message)) }
}

function markChatMessage(message: ChatMessage): ChatMessage {
  const { content } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(parts) || content === '') return message
  const marked = (parts as object[]).map((part, index) =>
    index === parts.length - 1 ? { ...part, cache_control: mark } : part,
  )
  return { ...message, content: marked }
}

/**
 * Returns a key shared by all requests of one chat, for providers that route by it. Stable across steps and turns, and
 * reveals no content.
 */
export function cacheKey({ prompt, tools = [] }: LanguageModelV4CallOptions): string {
  const hash = createHash('sha256')
  for (const { name } of tools) hash.update(`${name}\n`)
  for (const message of prompt.slice(0, 2)) hash.update(JSON.stringify(message).slice(0, 20_000))
  return hash.digest('hex').slice(0, 32)
}

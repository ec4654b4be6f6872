import { createHash } from 'node:crypto'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'

const mark = { type: 'ephemeral' }

/**
 * The call with marks for a provider that keeps only what is marked: the tools, the instructions, and the last two
 * messages that are not the model's. The earlier of them ended the request before this one, so it is found in the cache
 * however many blocks were added since. Four marks are the most that such providers take.
 */
export function markCache(options: LanguageModelV4CallOptions, provider: string): LanguageModelV4CallOptions {
  const { prompt, tools } = options
  const marked = new Set([prompt.findLastIndex(({ role }) => role === 'system'), ...lastInputs(prompt)])
  return {
    ...options,
    prompt: prompt.map((message, index) => (marked.has(index) ? markMessage(message, provider) : message)),
    ...(tools !== undefined && {
      tools: tools.map((tool, index) =>
        index === tools.length - 1 && tool.type === 'function' ? withMark(tool, provider) : tool,
      ),
    }),
  }
}

/** Where this request ends, and where the one before it did. */
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
 * A chat completion with the same marks, for Claude behind a router (OpenRouter, LiteLLM), which passes them on.
 * Requests of other models are left as they are.
 */
export function markChatCompletion<Body extends Record<string, unknown>>(body: Body): Body {
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
 * What the requests of one conversation have in common, for providers that send like requests to one machine. It stays
 * the same from step to step and from turn to turn, and tells nothing.
 */
export function cacheKey({ prompt, tools = [] }: LanguageModelV4CallOptions): string {
  const hash = createHash('sha256')
  for (const { name } of tools) hash.update(`${name}\n`)
  for (const message of prompt.slice(0, 2)) hash.update(JSON.stringify(message).slice(0, 20_000))
  return hash.digest('hex').slice(0, 32)
}

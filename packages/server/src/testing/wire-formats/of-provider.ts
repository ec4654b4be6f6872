import { anthropic } from './anthropic.ts'
import { chatCompletions, commonUsage } from './chat-completions.ts'
import { gateway } from './gateway.ts'
import { google } from './google.ts'
import { responses } from './responses.ts'
import type { WireFormat } from './wire-turn.ts'

const openaiChat = chatCompletions({ usage: commonUsage, usageAlone: true })

/** What each provider speaks, and where its API lies below its host. */
export const wireProviders = {
  openai: { path: '/v1', format: responses(openaiChat.errorBody) },
  anthropic: { path: '/v1', format: anthropic },
  google: { path: '/v1beta', format: google },
  deepseek: {
    path: '',
    format: chatCompletions({
      reasoning: 'reasoning_content',
      usageAlone: false,
      usage: (usage) => ({
        ...commonUsage(usage),
        prompt_cache_hit_tokens: usage.cached,
        prompt_cache_miss_tokens: usage.input - usage.cached,
      }),
    }),
  },
  moonshot: {
    path: '/v1',
    format: chatCompletions({
      reasoning: 'reasoning_content',
      usageAlone: true,
      usage: (usage) => ({ ...commonUsage(usage), cached_tokens: usage.cached }),
    }),
  },
  qwen: {
    path: '/compatible-mode/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  xai: { path: '/v1', format: responses((status, message) => ({ code: `Code ${status}`, error: message })) },
  vercel: { path: '/v4/ai', format: gateway },
  custom: { path: '/v1', format: openaiChat },
  ollama: { path: '/v1', format: chatCompletions({ reasoning: 'reasoning', usage: commonUsage, usageAlone: true }) },
  lmstudio: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  llamacpp: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
  vllm: {
    path: '/v1',
    format: chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true }),
  },
} satisfies Record<string, { path: string; format: WireFormat }>

export type WireProvider = keyof typeof wireProviders

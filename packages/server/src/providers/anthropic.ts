import { listModels } from './shared/list-models.ts'
import {
  defineProvider,
  isReasoning,
  maxOutputTokens,
  reasoning,
  stopSequences,
  temperature,
  topK,
  topP,
} from './shared/provider.ts'
import { markCache, prepareCalls, sdkOptions } from './shared/sdk-models.ts'

const tags = ['chat', 'reasoning', 'tools', 'vision', 'pdf']
const large = { tags, contextWindow: 1_000_000, maxOutputTokens: 128_000 }

export default defineProvider({
  name: 'Anthropic',
  adapter: 'anthropic',
  familyId: 'Claude',
  env: ['ANTHROPIC_API_KEY'],
  baseURLEnv: 'ANTHROPIC_BASE_URL',
  baseURL: 'https://api.anthropic.com/v1',
  needsKey: true,
  popular: true,
  keys: { url: 'https://console.anthropic.com/settings/keys', pattern: /^sk-ant-/ },
  files: ['image', 'pdf'],
  models: [
    {
      id: 'claude-sonnet-5-5',
      name: 'Claude Sonnet 5.5',
      tags,
      maxOutputTokens: 128_000,
      price: { input: 2, output: 10, cachedInput: 0.1 },
    },
    {
      id: 'claude-opus-5-5',
      name: 'Claude Opus 5.5',
      tags,
      maxOutputTokens: 128_000,
      price: { input: 4, output: 20, cachedInput: 0.2 },
    },
    { id: 'claude-haiku-5-5', name: 'Claude Haiku 5.5', ...large },
    { id: 'claude-fable-5-2', name: 'Claude Fable 5.2', tags, maxOutputTokens: 128_000 },
    { id: 'claude-fable-5', name: 'Claude Fable 5', ...large },
    { id: 'claude-opus-5', name: 'Claude Opus 5', ...large },
    { id: 'claude-sonnet-5', name: 'Claude Sonnet 5', ...large },
    { id: 'claude-opus-4-8', name: 'Claude Opus 4.8', ...large },
    { id: 'claude-sonnet-4-6', name: 'Claude Sonnet 4.6', tags, contextWindow: 1_000_000 },
    { id: 'claude-haiku-4-5', name: 'Claude Haiku 4.5', tags, contextWindow: 200_000, maxOutputTokens: 64_000 },
  ],
  // Newer models reject sampling settings.
  params: (model) => [
    ...(/^claude-(haiku-4-5|sonnet-4|opus-4-[0-6]|3)/.test(model.id) ? [temperature(1), topP, topK] : []),
    ...(isReasoning(model, /^claude/) ? [reasoning(['none', 'low', 'medium', 'high', 'xhigh', 'max'])] : []),
    maxOutputTokens(model),
    stopSequences,
  ],
  async create(options) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return prepareCalls(createAnthropic(sdkOptions(options)), (call) => markCache(call, 'anthropic'))
  },
  discover: ({ apiKey = '', headers, ...options }) =>
    listModels({ ...options, headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01', ...headers } }),
})

import { listModels } from './shared/list-models.ts'
import { defineProvider, maxOutputTokens, reasoning, stopSequences, temperature, topP } from './shared/provider.ts'
import { sdkOptions } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'DeepSeek',
  adapter: 'deepseek',
  familyId: 'DeepSeek',
  env: ['DEEPSEEK_API_KEY'],
  baseURLEnv: 'DEEPSEEK_BASE_URL',
  baseURL: 'https://api.deepseek.com',
  needsKey: true,
  popular: true,
  keys: { url: 'https://platform.deepseek.com/api_keys', pattern: /^sk-[0-9a-f]{32}$/ },
  models: [
    { id: 'deepseek-flash', name: 'DeepSeek Flash', tags: ['chat', 'reasoning', 'tools'] },
    {
      id: 'deepseek-v4-pro',
      name: 'DeepSeek V4 Pro',
      tags: ['chat', 'reasoning', 'tools'],
      contextWindow: 1_000_000,
      maxOutputTokens: 384_000,
    },
    { id: 'deepseek-v4-flash', name: 'DeepSeek V4 Flash', tags: ['chat', 'tools'] },
    { id: 'deepseek-v4-flash-vision-exp', name: 'DeepSeek V4 Flash Vision', tags: ['chat', 'tools', 'vision'] },
  ],
  params: (model) => [
    reasoning(['none', 'low', 'high', 'max']),
    // No effect during reasoning.
    temperature(2),
    topP,
    maxOutputTokens(model),
    stopSequences,
  ],
  async create(options) {
    const { createDeepSeek } = await import('@ai-sdk/deepseek')
    return createDeepSeek(sdkOptions(options))
  },
  discover: listModels,
})

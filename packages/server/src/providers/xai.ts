import { listModels } from './shared/list-models.ts'
import { defineProvider, isReasoning, maxOutputTokens, reasoning, seed, temperature, topP } from './shared/provider.ts'
import { cacheKey, prepareCalls, sdkOptions, withOptions } from './shared/sdk-models.ts'

const tags = ['chat', 'reasoning', 'tools', 'vision']

export default defineProvider({
  name: 'xAI',
  adapter: 'xai',
  familyId: 'Grok',
  env: ['XAI_API_KEY'],
  baseURLEnv: 'XAI_BASE_URL',
  baseURL: 'https://api.x.ai/v1',
  needsKey: true,
  popular: true,
  keys: { url: 'https://console.x.ai', pattern: /^xai-/ },
  models: [
    { id: 'grok-4.7', name: 'Grok 4.7', tags, contextWindow: 500_000 },
    { id: 'grok-4.6', name: 'Grok 4.6', tags, contextWindow: 500_000 },
    { id: 'grok-4.5', name: 'Grok 4.5', tags, contextWindow: 500_000 },
    { id: 'grok-4.3', name: 'Grok 4.3', tags, contextWindow: 1_000_000 },
    { id: 'grok-4.20-reasoning', name: 'Grok 4.20', tags },
    { id: 'grok-4.20-non-reasoning', name: 'Grok 4.20 without reasoning', tags: ['chat', 'tools', 'vision'] },
    { id: 'grok-latest', name: 'Grok (latest)', tags: ['chat'] },
    { id: 'grok-imagine-image', name: 'Grok Imagine', tags: ['image'] },
    { id: 'grok-imagine-video', name: 'Grok Imagine Video', tags: ['video'] },
  ],
  params: (model) => [
    temperature(2),
    topP,
    // Models named `-reasoning` have a fixed effort.
    ...(isReasoning(model) && !model.id.endsWith('-reasoning') ? [reasoning(['low', 'medium', 'high'])] : []),
    maxOutputTokens(model),
    seed,
  ],
  async create(options) {
    const { createXai } = await import('@ai-sdk/xai')
    return prepareCalls(createXai(sdkOptions(options)), (call) =>
      withOptions(call, 'xai', { store: false, promptCacheKey: cacheKey(call) }),
    )
  },
  discover: listModels,
})

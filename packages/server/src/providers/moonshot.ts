import { listModels } from './shared/list-models.ts'
import {
  defineProvider,
  isReasoning,
  maxOutputTokens,
  reasoning,
  stopSequences,
  temperature,
  topP,
} from './shared/provider.ts'
import { sdkOptions } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'Moonshot',
  adapter: 'moonshotai',
  familyId: 'Moonshot',
  env: ['MOONSHOT_API_KEY'],
  baseURLEnv: 'MOONSHOT_BASE_URL',
  baseURL: 'https://api.moonshot.ai/v1',
  needsKey: true,
  keys: { url: 'https://platform.moonshot.ai/console/api-keys', pattern: /^sk-[A-Za-z0-9]{48}$/ },
  models: [
    {
      id: 'kimi-k3',
      name: 'Kimi K3',
      tags: ['chat', 'reasoning', 'tools', 'vision'],
      contextWindow: 1_048_576,
      maxOutputTokens: 262_144,
      price: { input: 3, output: 15, cachedInput: 0.3 },
    },
    { id: 'kimi-k2.7-code', name: 'Kimi K2.7 Code', tags: ['chat', 'tools', 'code'] },
    { id: 'kimi-k2.6', name: 'Kimi K2.6', tags: ['chat', 'tools'] },
    { id: 'kimi-k2.5', name: 'Kimi K2.5', tags: ['chat', 'tools'] },
    { id: 'moonshot-v1-auto', name: 'Moonshot v1', tags: ['chat'] },
  ],
  // Kimi models do not accept sampling settings.
  params: (model) => [
    ...(model.id.startsWith('kimi') ? [] : [temperature(1), topP]),
    ...(isReasoning(model) ? [reasoning(['low', 'high', 'xhigh'])] : []),
    maxOutputTokens(model),
    stopSequences,
  ],
  async create(options) {
    const { createMoonshotAI } = await import('@ai-sdk/moonshotai')
    return createMoonshotAI(sdkOptions(options))
  },
  discover: listModels,
})

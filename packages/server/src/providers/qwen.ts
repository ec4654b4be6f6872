import {
  defineProvider,
  isReasoning,
  maxOutputTokens,
  presencePenalty,
  reasoning,
  seed,
  stopSequences,
  temperature,
  topK,
  topP,
} from './shared/provider.ts'
import { markCache, prepareCalls, sdkOptions } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'Qwen',
  adapter: 'alibaba',
  familyId: 'Qwen',
  env: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
  baseURLEnv: 'DASHSCOPE_BASE_URL',
  baseURL: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  needsKey: true,
  keys: { url: 'https://bailian.console.alibabacloud.com/?apiKey=1', pattern: /^sk-[0-9a-f]{32}$/ },
  models: [
    { id: 'qwen3.7-max', name: 'Qwen3.7 Max', tags: ['chat', 'reasoning'] },
    {
      id: 'qwen3-max',
      name: 'Qwen3 Max',
      tags: ['chat', 'reasoning'],
      contextWindow: 262_144,
      maxOutputTokens: 65_536,
    },
    {
      id: 'qwen-plus',
      name: 'Qwen Plus',
      tags: ['chat', 'reasoning'],
      contextWindow: 1_000_000,
      maxOutputTokens: 32_768,
    },
    {
      id: 'qwen-flash',
      name: 'Qwen Flash',
      tags: ['chat', 'reasoning'],
      contextWindow: 1_000_000,
      maxOutputTokens: 32_768,
    },
    {
      id: 'qwen3-coder-plus',
      name: 'Qwen3 Coder Plus',
      tags: ['chat', 'tools', 'code'],
      contextWindow: 1_000_000,
      maxOutputTokens: 65_536,
    },
    { id: 'qwen3-coder-flash', name: 'Qwen3 Coder Flash', tags: ['chat', 'code'] },
    { id: 'wan2.7-t2v', name: 'Wan 2.7', tags: ['video'] },
  ],
  params: (model) => [
    temperature(1.9),
    topP,
    topK,
    ...(isReasoning(model) ? [reasoning(['none', 'low', 'medium', 'high'])] : []),
    maxOutputTokens(model),
    presencePenalty,
    seed,
    stopSequences,
  ],
  async create(options) {
    const { createAlibaba } = await import('@ai-sdk/alibaba')
    return prepareCalls(createAlibaba(sdkOptions(options)), (call) => markCache(call, 'alibaba'))
  },
})

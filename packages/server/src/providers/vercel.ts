import { fetchJson } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { cacheKey, markCache, prepareCalls, sdkOptions, withOptions } from './shared/sdk-models.ts'

const tags = ['chat', 'reasoning', 'tools', 'vision']
const pdf = [...tags, 'pdf']

export default defineProvider({
  name: 'Vercel AI Gateway',
  adapter: 'gateway',
  familyId: 'Vercel',
  env: ['AI_GATEWAY_API_KEY'],
  baseURLEnv: 'AI_GATEWAY_BASE_URL',
  baseURL: 'https://ai-gateway.vercel.sh/v4/ai',
  needsKey: true,
  keys: { url: 'https://vercel.com/ai-gateway', pattern: /^vck_/ },
  files: ['image', 'pdf'],
  models: [
    { id: 'anthropic/claude-sonnet-5.5', name: 'Claude Sonnet 5.5', tags: pdf },
    { id: 'anthropic/claude-opus-5.5', name: 'Claude Opus 5.5', tags: pdf },
    { id: 'openai/gpt-6-sol', name: 'GPT-6 Sol', tags: pdf },
    { id: 'openai/gpt-6-luna', name: 'GPT-6 Luna', tags: pdf },
    { id: 'google/gemini-3.8-flash', name: 'Gemini 3.8 Flash', tags: pdf },
    { id: 'spacexai/grok-4.7', name: 'Grok 4.7', tags },
    { id: 'deepseek/deepseek-v4-pro', name: 'DeepSeek V4 Pro' },
    { id: 'moonshotai/kimi-k3', name: 'Kimi K3', tags },
    { id: 'alibaba/qwen3.8-max', name: 'Qwen3.8 Max' },
    { id: 'zai/glm-5.3', name: 'GLM-5.3' },
  ],
  params: chatCompletionParams,
  async create(options) {
    const { createGateway } = await import('@ai-sdk/gateway')
    return prepareCalls(createGateway(sdkOptions(options)), (call, modelId) => {
      const maker = modelId.split('/')[0]
      if (maker === 'anthropic' || maker === 'alibaba') return markCache(call, maker)
      const kept = { store: false, promptCacheKey: cacheKey(call) }
      if (maker === 'xai' || maker === 'spacexai') return withOptions(call, 'xai', kept)
      const thinks = call.reasoning !== 'none'
      if (maker === 'openai')
        return withOptions(call, maker, { ...kept, reasoningSummary: thinks ? 'auto' : undefined })
      if (maker === 'google' && thinks && call.reasoning !== undefined)
        return withOptions(call, maker, { thinkingConfig: { includeThoughts: true } })
      return call
    })
  },
  async discover({ apiKey = '', headers, ...options }) {
    const config = await fetchJson('/config', {
      ...options,
      headers: { authorization: `Bearer ${apiKey}`, 'ai-gateway-auth-method': 'api-key', ...headers },
    })
    return (config as { models?: GatewayModel[] }).models?.filter(isChat).map(toDraft) ?? []
  },
})

interface GatewayModel {
  id: string
  name?: string
  modelType?: string | null
  pricing?: { input?: string; output?: string } | null
}

function isChat(model: GatewayModel): boolean {
  return (model.modelType ?? 'language') === 'language'
}

function toDraft({ id, name, pricing }: GatewayModel) {
  const price = { input: Number(pricing?.input) * 1e6, output: Number(pricing?.output) * 1e6 }
  return { id, name: name || undefined, price: price.input >= 0 && price.output >= 0 ? price : undefined }
}

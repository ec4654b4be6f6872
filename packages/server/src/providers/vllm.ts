import { listRawModels } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { createOpenAICompatible } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'vLLM',
  adapter: 'openai-compatible',
  familyId: 'Vllm',
  env: ['VLLM_API_KEY'],
  baseURLEnv: 'VLLM_BASE_URL',
  baseURL: 'http://127.0.0.1:8000/v1',
  needsKey: false,
  files: ['image', 'pdf'],
  local: true,
  models: [],
  params: chatCompletionParams,
  create: createOpenAICompatible,
  async discover({ guessed, ...options }) {
    const models = await listRawModels(options)
    if (guessed && !models.some((model) => model.owned_by === 'vllm')) throw new Error('the server there is not vLLM')
    return models.map((model) => {
      const contextWindow = model['max_model_len']
      return { id: model.id, contextWindow: typeof contextWindow === 'number' ? contextWindow : undefined }
    })
  },
})

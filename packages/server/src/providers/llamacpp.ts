import { listRawModels } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { createOpenAICompatible } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'llama.cpp',
  adapter: 'openai-compatible',
  familyId: 'Meta',
  env: ['LLAMACPP_API_KEY'],
  baseURLEnv: 'LLAMACPP_BASE_URL',
  baseURL: 'http://127.0.0.1:8080/v1',
  needsKey: false,
  files: ['image', 'pdf'],
  local: true,
  models: [],
  params: chatCompletionParams,
  create: createOpenAICompatible,
  async discover({ guessed, ...options }) {
    const models = await listRawModels(options)
    if (guessed && !models.some((model) => model.owned_by === 'llamacpp')) {
      throw new Error('the server there is not llama.cpp')
    }
    return models.map((model) => {
      const contextWindow = (model['meta'] as { n_ctx?: number } | null | undefined)?.n_ctx
      return { id: model.id, name: model.id.split('/').at(-1) ?? model.id, contextWindow: contextWindow || undefined }
    })
  },
})

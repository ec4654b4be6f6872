import { bearer, fetchJson } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { createOpenAICompatible } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'LM Studio',
  adapter: 'openai-compatible',
  familyId: 'LmStudio',
  env: ['LMSTUDIO_API_KEY'],
  baseURLEnv: 'LMSTUDIO_BASE_URL',
  baseURL: 'http://127.0.0.1:1234/v1',
  needsKey: false,
  files: ['image', 'pdf'],
  local: true,
  models: [],
  params: chatCompletionParams,
  create: createOpenAICompatible,
  async discover({ apiKey, baseURL, headers, ...options }) {
    const list = (await fetchJson('/api/v0/models', {
      ...options,
      baseURL: baseURL?.replace(/\/v1\/?$/, ''),
      headers: bearer(apiKey, headers),
    })) as { data?: LmStudioModel[] }
    if (!Array.isArray(list?.data)) throw new Error('the response of /api/v0/models is not a list of models')
    return list.data.filter((model) => model.type === 'llm' || model.type === 'vlm').map(toDraft)
  },
})

interface LmStudioModel {
  id: string
  type?: string
  max_context_length?: number
  loaded_context_length?: number
}

function toDraft(model: LmStudioModel) {
  const contextWindow = model.loaded_context_length ?? model.max_context_length
  return {
    id: model.id,
    tags: model.type === 'vlm' ? ['chat', 'vision'] : ['chat'],
    contextWindow: contextWindow || undefined,
  }
}

import { listModels } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { createOpenAICompatible } from './shared/sdk-models.ts'

/** Any OpenAI-compatible chat completions endpoint. Also the adapter of providers defined only in the settings. */
export default defineProvider({
  name: 'OpenAI-compatible',
  adapter: 'openai-compatible',
  familyId: 'OpenAI',
  env: ['OPENAI_COMPATIBLE_API_KEY'],
  baseURLEnv: 'OPENAI_COMPATIBLE_BASE_URL',
  needsKey: false,
  files: ['image', 'pdf'],
  models: [],
  params: chatCompletionParams,
  create: createOpenAICompatible,
  discover: listModels,
})

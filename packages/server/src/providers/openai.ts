import { listModels } from './shared/list-models.ts'
import {
  defineProvider,
  isReasoning,
  maxOutputTokens,
  reasoning,
  temperature,
  topP,
  verbosity,
} from './shared/provider.ts'
import { cacheKey, prepareCalls, sdkOptions, withOptions } from './shared/sdk-models.ts'

const modern = {
  tags: ['chat', 'reasoning', 'tools', 'vision', 'pdf'],
  contextWindow: 1_050_000,
  maxOutputTokens: 128_000,
}

export default defineProvider({
  name: 'OpenAI',
  adapter: 'openai',
  familyId: 'OpenAI',
  env: ['OPENAI_API_KEY'],
  baseURLEnv: 'OPENAI_BASE_URL',
  baseURL: 'https://api.openai.com/v1',
  needsKey: true,
  popular: true,
  keys: { url: 'https://platform.openai.com/api-keys', pattern: /^sk-(proj|svcacct|admin)-|T3BlbkFJ/ },
  files: ['image', 'pdf'],
  models: [
    { id: 'gpt-6-sol', name: 'GPT-6 Sol', ...modern },
    { id: 'gpt-6-luna', name: 'GPT-6 Luna', ...modern },
    { id: 'gpt-6-astra', name: 'GPT-6 Astra', ...modern },
    { id: 'gpt-6.1-sol', name: 'GPT-6.1 Sol', tags: modern.tags },
    { id: 'gpt-6.1-terra', name: 'GPT-6.1 Terra', tags: modern.tags },
    { id: 'gpt-5.6', name: 'GPT-5.6', ...modern },
    { id: 'gpt-5.5', name: 'GPT-5.5', ...modern },
    { id: 'gpt-5.4', name: 'GPT-5.4', ...modern },
    { id: 'gpt-5.4-mini', name: 'GPT-5.4 mini', tags: modern.tags },
    { id: 'gpt-5.4-nano', name: 'GPT-5.4 nano', tags: modern.tags },
    { id: 'gpt-5.3-codex', name: 'GPT-5.3 Codex', tags: ['chat', 'reasoning', 'code'] },
    { id: 'gpt-5', name: 'GPT-5', tags: modern.tags, contextWindow: 400_000, maxOutputTokens: 128_000 },
    {
      id: 'gpt-4.1',
      name: 'GPT-4.1',
      tags: ['chat', 'tools', 'vision'],
      contextWindow: 1_047_576,
      maxOutputTokens: 32_768,
    },
    {
      id: 'gpt-4o',
      name: 'GPT-4o',
      tags: ['chat', 'tools', 'vision'],
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
    },
    { id: 'gpt-image-2', name: 'GPT Image 2', tags: ['image'] },
    { id: 'gpt-image-1-mini', name: 'GPT Image 1 mini', tags: ['image'], price: { input: 2.5, output: 8 } },
    {
      id: 'gpt-4o-mini-transcribe',
      name: 'GPT-4o mini Transcribe',
      tags: ['transcription'],
      mediaPrice: { perSecond: 0.003 / 60 },
    },
    {
      id: 'gpt-4o-transcribe',
      name: 'GPT-4o Transcribe',
      tags: ['transcription'],
      mediaPrice: { perSecond: 0.006 / 60 },
    },
    { id: 'whisper-1', name: 'Whisper', tags: ['transcription'], mediaPrice: { perSecond: 0.006 / 60 } },
    { id: 'gpt-4o-mini-tts', name: 'GPT-4o mini TTS', tags: ['speech'] },
    { id: 'tts-1', name: 'TTS 1', tags: ['speech'], mediaPrice: { perMillionCharacters: 15 } },
  ],
  params: (model) =>
    isReasoning(model, /^(gpt-([5-9]|\d{2})|o\d)/)
      ? [reasoning(['none', 'low', 'medium', 'high', 'xhigh']), verbosity, maxOutputTokens(model)]
      : [temperature(2), topP, maxOutputTokens(model)],
  async create(options) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    // OpenAI stores nothing: encrypted reasoning is returned to us and sent with the next request.
    let summarises = true
    return prepareCalls(
      createOpenAI(sdkOptions(options)),
      (call) =>
        withOptions(call, 'openai', {
          store: false,
          promptCacheKey: cacheKey(call),
          reasoningSummary: summarises && call.reasoning !== 'none' ? 'auto' : null,
        }),
      (error, call) => {
        // Unverified organizations get an error if they request summaries.
        if (!/summar/i.test(String((error as Error).message)) || !summarises) return undefined
        summarises = false
        const { openai, ...others } = call.providerOptions ?? {}
        return { ...call, providerOptions: { ...others, openai: { ...openai, reasoningSummary: null } } }
      },
    )
  },
  discover: listModels,
})

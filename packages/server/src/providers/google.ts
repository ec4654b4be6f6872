import { fetchJson } from './shared/list-models.ts'
import {
  defineProvider,
  isReasoning,
  maxOutputTokens,
  reasoning,
  seed,
  stopSequences,
  temperature,
  topK,
  topP,
} from './shared/provider.ts'
import { prepareCalls, sdkOptions, withOptions } from './shared/sdk-models.ts'

const tags = ['chat', 'tools', 'vision', 'pdf']
const flash = { tags: [...tags, 'reasoning'], contextWindow: 1_048_576, maxOutputTokens: 65_536 }

export default defineProvider({
  name: 'Google',
  adapter: 'google',
  familyId: 'Gemini',
  env: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  baseURLEnv: 'GOOGLE_GENERATIVE_AI_BASE_URL',
  baseURL: 'https://generativelanguage.googleapis.com/v1beta',
  needsKey: true,
  popular: true,
  keys: { url: 'https://aistudio.google.com/apikey', pattern: /^AIza/ },
  files: ['image', 'pdf', 'audio', 'video'],
  models: [
    { id: 'gemini-3.8-flash', name: 'Gemini 3.8 Flash', ...flash },
    { id: 'gemini-4-argon', name: 'Gemini 4 Argon', tags },
    { id: 'gemini-4-carbon', name: 'Gemini 4 Carbon', tags },
    { id: 'gemini-3.7-flash', name: 'Gemini 3.7 Flash', tags },
    { id: 'gemini-3.5-flash', name: 'Gemini 3.5 Flash', tags },
    { id: 'gemini-3.5-flash-lite', name: 'Gemini 3.5 Flash-Lite', tags },
    { id: 'gemini-3.1-pro-preview', name: 'Gemini 3.1 Pro (preview)', ...flash },
    { id: 'gemini-2.5-pro', name: 'Gemini 2.5 Pro', ...flash },
    { id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash', ...flash },
    { id: 'gemini-nano-banana-2.1', name: 'Gemini Nano Banana 2.1', tags: ['image'] },
    {
      id: 'gemini-2.5-flash-image',
      name: 'Gemini 2.5 Flash Image',
      tags: ['image'],
      mediaPrice: { perImage: 0.039 },
    },
    { id: 'gemini-3.5-transcribe', name: 'Gemini 3.5 Transcribe', tags: ['transcription'] },
    { id: 'gemini-3.8-flash-tts', name: 'Gemini 3.8 Flash TTS', tags: ['speech'] },
    { id: 'veo-3.1-generate-preview', name: 'Veo 3.1', tags: ['video'], mediaPrice: { perSecond: 0.4 } },
    { id: 'veo-3.1-fast-generate-preview', name: 'Veo 3.1 Fast', tags: ['video'], mediaPrice: { perSecond: 0.15 } },
  ],
  params: (model) => [
    temperature(2),
    topP,
    topK,
    ...(isReasoning(model) ? [reasoning(['low', 'medium', 'high'])] : []),
    maxOutputTokens(model),
    seed,
    stopSequences,
  ],
  async create(options) {
    const { createGoogle } = await import('@ai-sdk/google')
    return prepareCalls(createGoogle(sdkOptions(options)), (call, modelId) =>
      thinks(call.reasoning, modelId)
        ? withOptions(call, 'google', { thinkingConfig: { includeThoughts: true } })
        : call,
    )
  },
  async discover({ apiKey = '', headers, ...options }) {
    const list = await fetchJson('/models?pageSize=1000', {
      ...options,
      headers: { 'x-goog-api-key': apiKey, ...headers },
    })
    return (list as { models?: GoogleModel[] }).models?.filter(isChat).map(toDraft) ?? []
  },
})

/** Other models reject requests for thoughts. */
function thinks(effort: string | undefined, modelId: string): boolean {
  if (effort === 'none') return false
  return effort !== undefined || /^gemini-(2\.5|[3-9])(?!.*(image|lite|tts|audio|live))/.test(modelId)
}

interface GoogleModel {
  name: string
  displayName?: string
  inputTokenLimit?: number
  outputTokenLimit?: number
  supportedGenerationMethods?: string[]
}

function isChat(model: GoogleModel): boolean {
  return model.supportedGenerationMethods?.includes('generateContent') ?? true
}

function toDraft(model: GoogleModel) {
  return {
    id: model.name.replace(/^models\//, ''),
    name: model.displayName || undefined,
    contextWindow: model.inputTokenLimit || undefined,
    maxOutputTokens: model.outputTokenLimit || undefined,
  }
}

import { bearer, fetchJson } from './shared/list-models.ts'
import { chatCompletionParams, defineProvider } from './shared/provider.ts'
import { createOpenAICompatible } from './shared/sdk-models.ts'

export default defineProvider({
  name: 'Ollama',
  adapter: 'openai-compatible',
  familyId: 'Ollama',
  env: ['OLLAMA_API_KEY'],
  baseURLEnv: 'OLLAMA_HOST',
  baseURL: 'http://127.0.0.1:11434/v1',
  needsKey: false,
  files: ['image', 'pdf'],
  local: true,
  models: [],
  parseBaseURL: ollamaBaseURL,
  params: chatCompletionParams,
  create: createOpenAICompatible,
  async discover({ apiKey, baseURL, headers, ...options }) {
    const list = (await fetchJson('/api/tags', {
      ...options,
      baseURL: baseURL?.replace(/\/v1\/?$/, ''),
      headers: bearer(apiKey, headers),
    })) as { models?: OllamaModel[] }
    if (!Array.isArray(list?.models)) throw new Error('the response of /api/tags is not a list of models')
    return list.models.filter(isChat).map((model) => ({
      id: model.name,
      name: modelName(model),
      tags: sees(model) ? ['chat', 'vision'] : ['chat'],
    }))
  },
})

interface OllamaModel {
  name: string
  details?: { family?: string; families?: string[] | null; parameter_size?: string }
}

function isChat(model: OllamaModel): boolean {
  return !/bert|embed/i.test(`${model.details?.family ?? ''} ${model.name}`)
}

/** The list omits capabilities, so infer vision from families and name. */
function sees({ name, details }: OllamaModel): boolean {
  const parts = details?.families ?? []
  return parts.some((part) => /clip|mllama|vl$/.test(part)) || /llava|vision|moondream|minicpm-v|[\d-]vl\b/i.test(name)
}

function modelName(model: OllamaModel): string {
  const size = model.details?.parameter_size
  return size ? `${model.name} (${size})` : model.name
}

/**
 * Parses `OLLAMA_HOST` like Ollama: a host, port or URL with any part missing. Maps wildcard addresses, which are for
 * listening, to loopback.
 */
export function ollamaBaseURL(value: string): string {
  const [, scheme, rest = ''] = /^\s*(?:(https?):\/\/)?(.*?)\s*$/.exec(value) ?? []
  const [authority = '', ...path] = rest.split('/')
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [undefined, authority]
  const everywhere = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[name]
  const defaultPort = scheme === 'https' ? '443' : scheme === 'http' ? '80' : '11434'
  const tail = path.join('/').replace(/\/+$/, '')
  return `${scheme ?? 'http'}://${everywhere ?? name}:${port ?? defaultPort}${tail && `/${tail}`}/v1`
}

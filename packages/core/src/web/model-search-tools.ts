import type { LanguageModelV4, LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import type { SearchRequest } from './search-provider.ts'

type SearchTool = (search: Pick<SearchRequest, 'domains'>) => LanguageModelV4ProviderTool

/** How often a model may search for one question. */
const maxUses = 3
/** More than this xAI refuses. */
const xaiDomains = 5

const anthropic: SearchTool = ({ domains }) => ({
  type: 'provider',
  id: 'anthropic.web_search_20250305',
  name: 'web_search',
  args: { maxUses, ...(domains.length > 0 && { allowedDomains: [...domains] }) },
})

const openai: SearchTool = ({ domains }) => ({
  type: 'provider',
  id: 'openai.web_search',
  name: 'web_search',
  args: domains.length > 0 ? { filters: { allowedDomains: [...domains] } } : {},
})

const google: SearchTool = () => ({ type: 'provider', id: 'google.google_search', name: 'google_search', args: {} })

const xai: SearchTool = ({ domains }) => ({
  type: 'provider',
  id: 'xai.web_search',
  name: 'web_search',
  args: domains.length > 0 && domains.length <= xaiDomains ? { allowedDomains: [...domains] } : {},
})

/** By what a model calls its provider: which of a provider's protocols it speaks is part of that. */
const searchTools: Record<string, SearchTool> = {
  'anthropic.messages': anthropic,
  'openai.responses': openai,
  'google.generative-ai': google,
  'xai.responses': xai,
}

/** Behind the gateway a model has the tools of whoever made it, which its id begins with. */
const gatewayTools: Record<string, SearchTool> = { anthropic, openai, google }

/** The web search that a model brings along; undefined where it has none. */
export function modelSearchTool({ provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>) {
  if (provider === 'gateway') return gatewayTools[modelId.split('/', 1)[0] ?? '']
  return searchTools[provider]
}

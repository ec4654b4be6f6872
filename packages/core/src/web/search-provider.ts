/** User configuration: `search` in config.json. */
export interface SearchSettings {
  provider: string
  baseURL?: string | undefined
  apiKey?: string | undefined
}

export interface SearchRequest {
  query: string
  maxResults: number
  /** Limits results to these hosts and their subdomains. Empty: no limit. */
  domains: readonly string[]
}

export interface SearchResult {
  title: string
  url: string
  /** A few lines of the page. Tags and entities are removed later. */
  text: string
  /** Publication date, in the provider's format. */
  date?: string
}

/** A web search service: one file in `search-providers/`, named after the service. Both functions are pure. */
export interface SearchProvider {
  /** Default address of the service. If absent, the user must set one. */
  baseURL?: string
  needsKey: boolean
  /** `url` is appended to the base URL. */
  request(
    search: SearchRequest,
    apiKey: string,
  ): { url: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }
  /** Parses the response. May throw on unexpected data. */
  results(answer: unknown): SearchResult[]
  advice?(status: number): string | undefined
}

/** For services that support only `site:` in the query. */
export function withSites(query: string, domains: readonly string[]): string {
  return domains.length === 0 ? query : `${query} ${domains.map((domain) => `site:${domain}`).join(' OR ')}`
}

/** Throws an Error that explains what is wrong with a file's default export. */
export function checkSearchProvider(value: unknown): SearchProvider {
  const provider = value as Partial<SearchProvider>
  if (typeof provider.request !== 'function' || typeof provider.results !== 'function')
    throw new Error('the default export is not a search provider')
  return provider as SearchProvider
}

/** What the person set up: `search` in config.json. */
export interface SearchSettings {
  provider: string
  baseURL?: string | undefined
  apiKey?: string | undefined
}

export interface SearchRequest {
  query: string
  maxResults: number
  /** Only pages of these hosts and of those below them; all when empty. */
  domains: readonly string[]
}

export interface SearchResult {
  title: string
  url: string
  /** A few lines of the page; may hold tags and entities, which are taken out. */
  text: string
  /** When it was published, in the provider's words. */
  date?: string
}

/** A service that searches the web: one file in `search-providers/`, named after it. Both functions are pure. */
export interface SearchProvider {
  /** Where the service is, unless the person says otherwise. Without one the person must. */
  baseURL?: string
  needsKey: boolean
  /** `url` is what follows the base. */
  request(
    search: SearchRequest,
    apiKey: string,
  ): { url: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string }
  /** Reads the answer. Whatever is not as expected may throw. */
  results(answer: unknown): SearchResult[]
  /** What the person may have to change when the service answers with this status. */
  advice?(status: number): string | undefined
}

/** For services that know `site:` in the query only. */
export function withSites(query: string, domains: readonly string[]): string {
  return domains.length === 0 ? query : `${query} ${domains.map((domain) => `site:${domain}`).join(' OR ')}`
}

/** Throws an Error that says what is wrong with a file's default export. */
export function checkSearchProvider(value: unknown): SearchProvider {
  const provider = value as Partial<SearchProvider>
  if (typeof provider.request !== 'function' || typeof provider.results !== 'function')
    throw new Error('the default export is not a search provider')
  return provider as SearchProvider
}

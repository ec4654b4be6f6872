import path from 'node:path'
import { loadFolder } from '../tool/load-folder.ts'
import {
  checkSearchProvider,
  type SearchProvider,
  type SearchRequest,
  type SearchResult,
  type SearchSettings,
} from './search-provider.ts'
import { stripTags } from './strip-tags.ts'

const maxMs = 20_000
const maxBytes = 5 * 1024 * 1024
const maxText = 600

/** Queries the configured provider. Errors tell the user what to change and never contain the key. */
export async function searchWeb(
  settings: SearchSettings,
  search: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const provider = (await searchProviders()).get(settings.provider)
  if (provider === undefined)
    throw new Error(`There is no search provider "${settings.provider}". ${await searchSetup()}`)
  const { apiKey = '' } = settings
  const base = (settings.baseURL ?? provider.baseURL ?? '').replace(/\/+$/, '')
  if (base === '') throw new Error(`The search provider ${settings.provider} needs a baseURL. ${await searchSetup()}`)
  if (provider.needsKey && apiKey === '')
    throw new Error(`The search provider ${settings.provider} needs an apiKey. ${await searchSetup()}`)
  const answer = await requestResults(settings, provider, base, search, signal)
  return filterResults(parseResults(settings, provider, answer), search)
}

/** Removes tags, and limits results to the requested hosts and number. */
export function filterResults(found: readonly SearchResult[], { domains, maxResults }: SearchRequest): SearchResult[] {
  return found
    .map(cleanResult)
    .filter((result) => isWanted(result, domains))
    .slice(0, maxResults)
}

export async function searchSetup(): Promise<string> {
  const examples = [...(await searchProviders())].map(([name, provider]) => {
    const base = provider.baseURL === undefined ? ', "baseURL": "http://127.0.0.1:8888"' : ''
    return `{"provider": "${name}"${base}${provider.needsKey ? ', "apiKey": "…"' : ''}}`
  })
  return `The user can set it up in config.json as "search": ${examples.join(' or ')}.`
}

async function searchProviders(): Promise<Map<string, SearchProvider>> {
  const { entries, problems } = await loadFolder(
    path.join(import.meta.dirname, 'search-providers'),
    checkSearchProvider,
  )
  const problem = problems[0]
  if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
  return new Map(entries.map(({ name, value }) => [name, value]))
}

async function requestResults(
  settings: SearchSettings,
  provider: SearchProvider,
  base: string,
  search: SearchRequest,
  signal: AbortSignal,
): Promise<string> {
  const { url, method, headers, body } = provider.request(search, settings.apiKey ?? '')
  const limit = AbortSignal.timeout(maxMs)
  const without = (text: string): string => (settings.apiKey ? text.replaceAll(settings.apiKey, '…') : text)
  try {
    // A redirect would send the key elsewhere.
    const response = await fetch(base + url, {
      method,
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.any([signal, limit]),
      body,
    })
    const text = await readLimitedText(response)
    if (response.ok) return text
    throw new Error(statusText(settings, provider, response.status, without(text)))
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted)
      throw new Error(`The search provider ${settings.provider} timed out after ${maxMs / 1000} s.`, { cause: error })
    if (!(error instanceof TypeError)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new Error(
      `The search provider ${settings.provider} cannot be reached: ${without(reason)}. The user may have to check "search" in config.json.`,
      { cause: error },
    )
  }
}

async function readLimitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new Error('The search provider sent a response that is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function statusText(
  { provider: name }: SearchSettings,
  provider: SearchProvider,
  status: number,
  said: string,
): string {
  const advice = provider.advice?.(status)
  const known =
    status === 401 || status === 403
      ? 'It refused the API key. The user has to check "search" in config.json.'
      : status === 429
        ? 'It received too many requests. Try again later, with fewer searches.'
        : status >= 500
          ? 'It may work later.'
          : `It said: ${stripTags(said).replace(/\s+/g, ' ').slice(0, 300)}`
  return `The search provider ${name} answered ${status}. ${advice ?? known}`
}

function parseResults({ provider: name }: SearchSettings, provider: SearchProvider, answer: string): SearchResult[] {
  try {
    return provider.results(JSON.parse(answer))
  } catch (error) {
    throw new Error(
      `The search provider ${name} sent an invalid response. ${provider.advice?.(403) ?? 'The user may have to check "search" in config.json.'}`,
      { cause: error },
    )
  }
}

function cleanResult(result: SearchResult): SearchResult {
  const plain = (text: string): string => stripTags(text).replace(/\s+/g, ' ').trim()
  const text = plain(result.text)
  return {
    ...result,
    title: plain(result.title),
    text: text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text,
  }
}

/** Google returns redirect URLs instead of page URLs. The title is then the page's host. */
const redirectHost = 'vertexaisearch.cloud.google.com'

/** Accepts only pages that WebFetch can open, on the requested hosts. */
function isWanted({ url, title }: SearchResult, domains: readonly string[]): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false
  const host = parsed.hostname === redirectHost ? title.replace(/^www\./, '') : parsed.hostname
  return domains.length === 0 || domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

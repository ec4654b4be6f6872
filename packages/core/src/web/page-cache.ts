import type { AgentState } from '../agent-state.ts'
import type { FetchedPage } from './fetch-url.ts'

const maxAgeMs = 15 * 60_000
const maxCacheBytes = 50 * 1024 * 1024

/** Pages that were fetched in this conversation, for a quarter of an hour. */
export interface PageCache {
  get(url: string, now?: number): { page: FetchedPage; fetchedAt: number } | undefined
  set(url: string, page: FetchedPage, now?: number): void
  dispose(): void
}

/** The cache of an agent; made when it is first asked for. */
export function pageCache(state: Pick<AgentState, 'kept'>): PageCache {
  const known = state.kept.get('web-fetch') as PageCache | undefined
  if (known !== undefined) return known
  const cache = createPageCache()
  state.kept.set('web-fetch', cache)
  return cache
}

export function createPageCache(): PageCache {
  const pages = new Map<string, { page: FetchedPage; fetchedAt: number }>()
  let bytes = 0
  const drop = (url: string): void => {
    bytes -= pages.get(url)?.page.body.length ?? 0
    pages.delete(url)
  }
  return {
    get(url, now = Date.now()) {
      const found = pages.get(url)
      if (found === undefined || now - found.fetchedAt < maxAgeMs) return found
      drop(url)
      return undefined
    },
    set(url, page, now = Date.now()) {
      drop(url)
      pages.set(url, { page, fetchedAt: now })
      bytes += page.body.length
      for (const oldest of pages.keys()) {
        if (bytes <= maxCacheBytes) return
        drop(oldest)
      }
    },
    dispose() {
      pages.clear()
      bytes = 0
    },
  }
}

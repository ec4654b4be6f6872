import { withoutFolder } from './folder-scope.ts'

/** Marks a cached response with the time of the original, in milliseconds. */
export const cachedAtHeader = 'x-troupe-kept'

const cachedPaths = [
  /^\/ai\/sessions\?(?!.*\b(?:q|cursor)=)/,
  /^\/ai\/folders$/,
  /^\/ai\/sessions\/[\w-]+$/,
  /^\/ai\/sessions\/[\w-]+\/messages\?(?:limit|leaf|before)=/,
  /^\/ai\/models$/,
  /^\/ai\/workspaces?$/,
]
const maxResponses = 200
const maxCharacters = 20_000_000

interface ResponseCache {
  fetch: typeof globalThis.fetch
  forget: () => void
}

/**
 * `fetch` that falls back to the last cached response if the server is unreachable, and marks it with a header. The
 * cache stays in this tab's memory. Any program that later takes the server's port could read origin storage.
 */
export function createResponseCache(fetch: typeof globalThis.fetch, now: () => number = Date.now): ResponseCache {
  const answers = new Map<string, { text: string; at: number }>()
  let characters = 0
  return { fetch: keepingFetch as typeof globalThis.fetch, forget: () => drop(() => true) }

  async function keepingFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const path = typeof input === 'string' ? input : ''
    const { method = 'GET' } = init
    if (method !== 'GET') forgetDeleted(method, path)
    if (method !== 'GET' || !cachedPaths.some((pattern) => pattern.test(withoutFolder(path)))) return fetch(input, init)
    let response: Response
    try {
      response = await fetch(input, init)
    } catch (error) {
      const kept = answers.get(path)
      if (kept === undefined || init.signal?.aborted === true) throw error
      const headers = { 'content-type': 'application/json', [cachedAtHeader]: String(kept.at) }
      return new Response(kept.text, { headers })
    }
    if (response.status === 404) drop((one) => one === path)
    if (!response.ok) return response
    const text = await response.text()
    keep(path, text)
    return new Response(text, { status: response.status, headers: response.headers })
  }

  function keep(path: string, text: string): void {
    drop((one) => one === path)
    answers.set(path, { text, at: now() })
    characters += text.length
    for (const oldest of answers.keys()) {
      if (answers.size <= maxResponses && characters <= maxCharacters) break
      drop((one) => one === oldest)
    }
  }

  /** Drops cached responses of a deleted session. Drops everything if the session is unknown. */
  function forgetDeleted(method: string, path: string): void {
    const session = /^\/ai\/sessions\/[\w-]+/.exec(path)?.[0]
    if (method === 'DELETE' && withoutFolder(path) === '/ai/trash') drop(() => true)
    else if (session !== undefined && (method === 'DELETE' || withoutFolder(path) === `${session}/keep`))
      drop((one) => {
        const bare = withoutFolder(one)
        return /^\/ai\/sessions(?:\?|$)/.test(bare) || bare === session || bare.startsWith(`${session}/`)
      })
  }

  function drop(isGone: (path: string) => boolean): void {
    for (const [path, { text }] of answers) {
      if (!isGone(path)) continue
      characters -= text.length
      answers.delete(path)
    }
  }
}

declare global {
  interface Window {
    /** Responses by path, requested by `public/early.js`. */
    early?: Record<string, Promise<Response>>
  }
}

/**
 * `fetch` that reuses requests started before the page's scripts loaded. Each response is used once, and only in the
 * first 10 seconds, before it goes stale.
 */
export function earlyFetch(
  fetch: typeof globalThis.fetch,
  early = window.early ?? {},
  isEarly = () => performance.now() < 10_000,
): typeof globalThis.fetch {
  return (input, init) => {
    const path = typeof input === 'string' ? input : ''
    const isRead = init?.method === 'GET'
    const answer = isRead && isEarly() ? early[path] : undefined
    // A write invalidates early responses. For example, a key unlocks the page.
    for (const name of isRead ? [path] : Object.keys(early)) delete early[name]
    return answer?.catch(() => fetch(input, init)) ?? fetch(input, init)
  }
}

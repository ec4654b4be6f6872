/** Of an answer that was kept: when the server gave it, in milliseconds. */
export const cachedAtHeader = 'x-troupe-kept'

/** Of our routes, those whose answers can be read again while the server is away. */
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
 * `fetch` that gives the last answer again when no server can be reached, and says so. Answers are kept in the memory of
 * this tab alone: storage of the origin could be read by any program that takes the server's port later.
 */
export function createResponseCache(fetch: typeof globalThis.fetch, now: () => number = Date.now): ResponseCache {
  const answers = new Map<string, { text: string; at: number }>()
  let characters = 0
  return { fetch: keepingFetch as typeof globalThis.fetch, forget: () => drop(() => true) }

  async function keepingFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const path = typeof input === 'string' ? input : ''
    const { method = 'GET' } = init
    if (method !== 'GET') forgetDeleted(method, path)
    if (method !== 'GET' || !cachedPaths.some((pattern) => pattern.test(path))) return fetch(input, init)
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

  /** What the person deletes is not read on here: all of that session, or, when it is not known which, of all. */
  function forgetDeleted(method: string, path: string): void {
    const session = /^\/ai\/sessions\/[\w-]+/.exec(path)?.[0]
    if (method === 'DELETE' && path === '/ai/trash') drop(() => true)
    else if (session !== undefined && (method === 'DELETE' || path === `${session}/keep`))
      drop((one) => one.startsWith('/ai/sessions?') || one === session || one.startsWith(`${session}/`))
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
    /** Answers by the path that `public/early.js` asked for. */
    early?: Record<string, Promise<Response>>
  }
}

/**
 * `fetch`, but what was asked for before the page's scripts had come is not asked for again: its answer is given, once,
 * and not after 10 s, when it may not be true any more.
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
    // What is done changes what is true: a key opens what was locked.
    for (const name of isRead ? [path] : Object.keys(early)) delete early[name]
    return answer?.catch(() => fetch(input, init)) ?? fetch(input, init)
  }
}

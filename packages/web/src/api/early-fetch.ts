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

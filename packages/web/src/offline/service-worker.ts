/** Of an answer that the service worker had kept: when the server gave it, in milliseconds. */
export const keptHeader = 'x-troupe-kept'

/** Lets the page be read without its server. While it is being developed, nothing stands between it and its sources. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  if (navigator.serviceWorker.controller === null)
    navigator.serviceWorker.addEventListener('controllerchange', readAgain, { once: true })
  // Not before the page has what it needs itself; and without it everything but reading offline works.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  })
}

const readFirst = /^\/ai\/(?:sessions\?|folders$|models$|workspaces?$|sessions\/[\w-]+\/messages\?)/

/** On a first visit much was asked for before there was anybody to keep it, and some of that is still on its way. */
function readAgain(): void {
  const asked = new Set<string>()
  const observer = new PerformanceObserver((list) => {
    for (const { name, workerStart } of list.getEntries() as PerformanceResourceTiming[]) {
      const address = name.slice(location.origin.length)
      // What the worker has seen it has kept.
      if (workerStart > 0 || asked.has(address) || !readFirst.test(address)) continue
      asked.add(address)
      // Without it only that answer cannot be read offline.
      fetch(address).catch(() => undefined)
    }
  })
  observer.observe({ type: 'resource', buffered: true })
}

/** Whoever may not ask the server may not read what it said either. */
export function forgetKeptAnswers(): void {
  if ('serviceWorker' in navigator) navigator.serviceWorker.controller?.postMessage('forget')
}

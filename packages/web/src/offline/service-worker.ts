/** Of an answer that the service worker had kept: when the server gave it, in milliseconds. */
export const keptHeader = 'x-troupe-kept'

/** Lets the page be read without its server. While it is being developed, nothing stands between it and its sources. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Not before the page has what it needs itself; and without it everything but reading offline works.
  if (navigator.serviceWorker.controller === null)
    navigator.serviceWorker.addEventListener('controllerchange', readAgain, { once: true })
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  })
}

const readFirst = /^\/ai\/(?:sessions\?|folders$|models$|workspaces?$|sessions\/[\w-]+\/messages\?)/

/** On a first visit much was read before there was anybody to keep it. */
function readAgain(): void {
  const addresses = performance.getEntriesByType('resource').map(({ name }) => name.slice(location.origin.length))
  for (const address of new Set(addresses)) if (readFirst.test(address)) void fetch(address).catch(() => undefined)
}

/** Whoever may not ask the server may not read what it said either. */
export function forgetKeptAnswers(): void {
  if ('serviceWorker' in navigator) navigator.serviceWorker.controller?.postMessage('forget')
}

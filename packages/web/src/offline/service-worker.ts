/** Keeps the page's own files, and shows notifications. While it is being developed, nothing stands between it and its sources. */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // Not before the page has what it needs itself; and without it everything else works.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js').catch(() => undefined)
  })
}

/**
 * Keeps the page's own files, so that the page opens while the server is away. Nothing of what the server says passes
 * here: a program that takes the server's port later could read what is kept.
 * It also shows the page's notifications, since phones let nobody else, and leads a click on one to the page.
 */
const files = 'files-1'
const ownFiles = /^\/(?:$|assets\/|icons\/|[\w.-]+\.(?:js|svg|webmanifest)$)/

self.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([keepPage(), self.skipWaiting()]))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([forgetOthers(), self.registration.navigationPreload?.enable(), self.clients.claim()]))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(comeForward(event.notification.data?.opens))
})

/** To the page that is open already, or to a new one. */
async function comeForward(opens) {
  const all = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const pages = all.filter(({ frameType }) => frameType !== 'nested')
  const page = pages.find(({ focused }) => focused) ?? pages.find(isVisible) ?? pages[0]
  if (page === undefined) return self.clients.openWindow(opens === 'inbox' ? '/#inbox' : '/')
  page.postMessage({ type: 'notification-click', opens })
  return page.focus()
}

function isVisible({ visibilityState }) {
  return visibilityState === 'visible'
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (url.origin !== self.location.origin) return
  if (request.method !== 'GET') return
  if (url.pathname.startsWith('/assets/')) event.respondWith(keptFirst(request))
  else if (ownFiles.test(url.pathname) && request.destination !== 'serviceworker') event.respondWith(serverFirst(event))
})

/** Names with a hash never change. */
async function keptFirst(request) {
  const cache = await caches.open(files)
  const kept = await cache.match(request)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function serverFirst(event) {
  const cache = await caches.open(files)
  const { pathname } = new URL(event.request.url)
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request))
    if (response.ok) event.waitUntil(keepFile(cache, pathname, response.clone()))
    return response
  } catch (error) {
    const kept = await cache.match(pathname)
    if (kept === undefined) throw error
    return kept
  }
}

/** Another page has other files: those of the last one go. */
async function keepFile(cache, pathname, response) {
  if (pathname !== '/') return cache.put(pathname, response)
  const before = await cache.match('/')
  const [known, text] = await Promise.all([before?.text(), response.clone().text()])
  await cache.put('/', response)
  if (known === text) return undefined
  const own = filesOf(text)
  const keys = await cache.keys()
  const old = keys.filter((key) => {
    const name = new URL(key.url).pathname
    return name.startsWith('/assets/') && !own.includes(name)
  })
  await Promise.all(old.map((key) => cache.delete(key)))
  return cache.addAll(own)
}

async function keepPage() {
  const cache = await caches.open(files)
  const response = await fetch('/')
  if (response.ok) await keepFile(cache, '/', response)
}

/** What the page names: its scripts and styles, and what those need before they run. */
function filesOf(page) {
  return [...page.matchAll(/(?:src|href)="(\/[\w./-]+)"/g)].map(([, name]) => name)
}

async function forgetOthers() {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== files).map((name) => caches.delete(name)))
}

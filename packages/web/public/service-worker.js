/**
 * Keeps what is needed to read on while the server is away: the page's own files and the last sessions that were read.
 * Whoever can ask the server gets the server's answer; what is kept is given only when nobody answers, and says so.
 * Streams, searches, settings, keys and everything that is not a GET never pass here.
 * It also shows the page's notifications, since phones let nobody else, and leads a click on one to the page.
 */
const files = 'files-1'
const answers = 'answers-1'
const mostAnswers = 200

/** Of our routes, those whose answers are read again without a server. */
const keptAnswers = [
  /^\/ai\/sessions\?(?!.*\b(?:q|cursor)=)/,
  /^\/ai\/folders$/,
  /^\/ai\/sessions\/[\w-]+$/,
  /^\/ai\/sessions\/[\w-]+\/messages\?(?:limit|leaf|before)=/,
  /^\/ai\/blobs\/[0-9a-f]{64}$/,
  /^\/ai\/models$/,
  /^\/ai\/workspaces?$/,
]
const ownFiles = /^\/(?:$|assets\/|icons\/|[\w.-]+\.(?:js|svg|webmanifest)$)/

self.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([keepPage(), self.skipWaiting()]))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([forgetOthers(), self.registration.navigationPreload?.enable(), self.clients.claim()]))
})

self.addEventListener('message', (event) => {
  if (event.data === 'forget') event.waitUntil(caches.delete(answers))
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
  if (deletes(request.method, url.pathname)) event.waitUntil(forget(url.pathname))
  if (request.method !== 'GET') return
  // An empty query leaves no trace in `search`.
  const path = request.url.slice(url.origin.length).replace(/#.*/, '')
  if (keptAnswers.some((pattern) => pattern.test(path))) event.respondWith(askServer(event))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(keptFirst(request))
  else if (ownFiles.test(url.pathname) && request.destination !== 'serviceworker') event.respondWith(serverFirst(event))
})

function deletes(method, path) {
  if (method === 'DELETE') return path.startsWith('/ai/sessions/') || path === '/ai/trash'
  return method === 'POST' && /^\/ai\/sessions\/[\w-]+\/keep$/.test(path)
}

/** What the person deletes is not read on here: all of that session, or, when it is not known which, of all. */
async function forget(path) {
  const session = /^\/ai\/sessions\/[\w-]+/.exec(path)?.[0]
  if (session === undefined) return caches.delete(answers)
  const cache = await caches.open(answers)
  const keys = await cache.keys()
  const gone = keys.filter(({ url }) => {
    const { pathname } = new URL(url)
    return pathname === '/ai/sessions' || pathname.startsWith(session)
  })
  return Promise.all(gone.map((key) => cache.delete(key)))
}

async function askServer(event) {
  const { request } = event
  let response
  try {
    response = await fetch(request)
  } catch (error) {
    const kept = await (await caches.open(answers)).match(request)
    if (kept === undefined) throw error
    return kept
  }
  if (response.status === 401) await caches.delete(answers)
  if (response.status === 404) await (await caches.open(answers)).delete(request)
  if (response.ok) event.waitUntil(keepAnswer(request, response.clone()))
  return response
}

async function keepAnswer(request, response) {
  const headers = new Headers(response.headers)
  headers.set('x-troupe-kept', String(Date.now()))
  const copy = new Response(await response.blob(), { status: response.status, headers })
  const cache = await caches.open(answers)
  // Put anew, it is the youngest again.
  await cache.delete(request)
  await cache.put(request, copy)
  const keys = await cache.keys()
  await Promise.all(keys.slice(0, Math.max(0, keys.length - mostAnswers)).map((key) => cache.delete(key)))
}

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
  await Promise.all(names.filter((name) => ![files, answers].includes(name)).map((name) => caches.delete(name)))
}

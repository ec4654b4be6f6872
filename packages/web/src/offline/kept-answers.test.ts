import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const source = readFileSync(new URL('../../public/service-worker.js', import.meta.url), 'utf8')
const origin = 'http://127.0.0.1:4880'

interface Asked {
  method: string
  url: string
}

/** The service worker over a server that answers as it is told, and a storage that can be looked into. */
function openWorker() {
  const listeners = new Map<string, (event: object) => void>()
  const stored = new Map<string, Map<string, Response>>()
  const server = { status: 200 }
  const caches = {
    open: (name: string) => {
      const cache = stored.get(name) ?? new Map<string, Response>()
      stored.set(name, cache)
      return Promise.resolve({
        match: ({ url }: Asked) => Promise.resolve(cache.get(url)),
        put: ({ url }: Asked, response: Response) => Promise.resolve(void cache.set(url, response)),
        delete: ({ url }: Asked) => Promise.resolve(cache.delete(url)),
        keys: () => Promise.resolve([...cache.keys()].map((url) => ({ url }))),
      })
    },
    delete: (name: string) => Promise.resolve(stored.delete(name)),
  }
  const self = {
    addEventListener: (type: string, listener: (event: object) => void) => void listeners.set(type, listener),
    location: { origin },
  }
  const fetch = () => Promise.resolve(new Response('{}', { status: server.status }))
  runInNewContext(source, { self, caches, fetch, URL, Response, Headers, Date })
  return {
    server,
    async ask(method: string, path: string): Promise<void> {
      const work: unknown[] = []
      const add = (one: unknown): void => void work.push(one)
      listeners.get('fetch')?.({ request: { method, url: origin + path }, waitUntil: add, respondWith: add })
      for (const one of work) await one
    },
    kept: () => [...(stored.get('answers-1')?.keys() ?? [])].map((url) => url.slice(origin.length)),
  }
}

async function openFull() {
  const worker = openWorker()
  for (const path of [
    '/ai/sessions?view=active',
    '/ai/sessions/a',
    '/ai/sessions/a/messages?limit=60',
    '/ai/sessions/b',
  ])
    await worker.ask('GET', path)
  expect(worker.kept()).toHaveLength(4)
  return worker
}

test.each([
  ['DELETE', '/ai/sessions/a'],
  ['DELETE', '/ai/sessions/a/messages/m1'],
  ['POST', '/ai/sessions/a/keep'],
])('%s %s forgets what was kept of the session and of the list, and nothing else', async (method, path) => {
  const worker = await openFull()
  await worker.ask(method, path)
  expect(worker.kept()).toEqual(['/ai/sessions/b'])
})

test('an emptied trash and a lost key forget everything, and what is not there any more goes alone', async () => {
  const worker = await openFull()
  await worker.ask('POST', '/ai/sessions/a/compactions')
  await worker.ask('DELETE', '/ai/blobs/x')
  expect(worker.kept()).toHaveLength(4)
  worker.server.status = 404
  await worker.ask('GET', '/ai/sessions/b')
  expect(worker.kept()).toHaveLength(3)
  worker.server.status = 401
  await worker.ask('GET', '/ai/sessions/a')
  expect(worker.kept()).toEqual([])
  const other = await openFull()
  await other.ask('DELETE', '/ai/trash')
  expect(other.kept()).toEqual([])
})

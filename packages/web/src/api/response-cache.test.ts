import { expect, test } from 'vitest'
import { cachedAtHeader, createResponseCache } from './response-cache.ts'

const paths = ['/ai/sessions?view=active', '/ai/sessions/a', '/ai/sessions/a/messages?limit=60', '/ai/sessions/b']

async function openFull() {
  const server = { status: 200, isAway: false }
  const { fetch, forget } = createResponseCache(
    () =>
      server.isAway
        ? Promise.reject(new TypeError('no server'))
        : Promise.resolve(new Response('{}', { status: server.status })),
    () => 7,
  )
  for (const path of paths) await fetch(path, { method: 'GET' })
  return {
    server,
    fetch,
    forget,
    async kept(asked = paths): Promise<string[]> {
      server.isAway = true
      const found = await Promise.all(asked.map((path) => fetch(path).catch(() => undefined)))
      server.isAway = false
      return asked.filter((_, i) => found[i]?.headers.get(cachedAtHeader) === '7')
    },
  }
}

test('answers can be read again without a server, and say when they were given', async () => {
  expect(await (await openFull()).kept()).toEqual(paths)
})

test.each([
  ['DELETE', '/ai/sessions/a'],
  ['DELETE', '/ai/sessions/a/messages/m1'],
  ['POST', '/ai/sessions/a/keep'],
])('%s %s clears the cached session and list, and nothing else', async (method, path) => {
  const page = await openFull()
  await page.fetch(path, { method })
  expect(await page.kept()).toEqual(['/ai/sessions/b'])
})

test('an emptied trash and a locked page clear everything, and a missing session clears only itself', async () => {
  const page = await openFull()
  await page.fetch('/ai/sessions/a/compactions', { method: 'POST' })
  expect(await page.kept()).toHaveLength(4)
  page.server.status = 404
  await page.fetch('/ai/sessions/b')
  expect(await page.kept()).toHaveLength(3)
  page.forget()
  expect(await page.kept()).toEqual([])
  const other = await openFull()
  await other.fetch('/ai/trash', { method: 'DELETE' })
  expect(await other.kept()).toEqual([])
})

test('searches, settings and other methods than GET are never cached, and the cache is limited', async () => {
  const page = await openFull()
  const others = ['/ai/sessions?q=x', '/ai/config', '/ai/rules']
  for (const path of others) await page.fetch(path)
  expect(await page.kept(others)).toEqual([])
  for (let i = 0; i < 200; i++) await page.fetch(`/ai/sessions/s${i}`)
  expect(await page.kept()).toEqual([])
})

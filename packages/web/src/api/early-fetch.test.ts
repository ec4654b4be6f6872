import { expect, test } from 'vitest'
import { earlyFetch } from './response-cache.ts'

const asked: string[] = []
const late = (async (input: unknown) => {
  asked.push(String(input))
  return new Response('late')
}) as typeof fetch

test('an early response is used once', async () => {
  const fetch = earlyFetch(late, { '/a': Promise.resolve(new Response('early')) }, () => true)
  expect(await (await fetch('/a', { method: 'GET' })).text()).toBe('early')
  expect(await (await fetch('/a', { method: 'GET' })).text()).toBe('late')
})

test('a failed early request is repeated', async () => {
  const fetch = earlyFetch(late, { '/b': Promise.reject(new TypeError('no server')) }, () => true)
  expect(await (await fetch('/b', { method: 'GET' })).text()).toBe('late')
  expect(asked.at(-1)).toBe('/b')
})

test('after any change, earlier responses do not count', async () => {
  const fetch = earlyFetch(late, { '/c': Promise.resolve(new Response('locked', { status: 401 })) }, () => true)
  await fetch('/ai/auth', { method: 'POST' })
  expect((await fetch('/c', { method: 'GET' })).status).toBe(200)
})

test('an old early response is requested again', async () => {
  const fetch = earlyFetch(late, { '/d': Promise.resolve(new Response('early')) }, () => false)
  expect(await (await fetch('/d', { method: 'GET' })).text()).toBe('late')
})

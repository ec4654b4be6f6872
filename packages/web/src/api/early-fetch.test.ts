import { expect, test } from 'vitest'
import { earlyFetch } from './response-cache.ts'

const asked: string[] = []
const late = (async (input: unknown) => {
  asked.push(String(input))
  return new Response('late')
}) as typeof fetch

test('what was asked for early is given once', async () => {
  const fetch = earlyFetch(late, { '/a': Promise.resolve(new Response('early')) }, () => true)
  expect(await (await fetch('/a', { method: 'GET' })).text()).toBe('early')
  expect(await (await fetch('/a', { method: 'GET' })).text()).toBe('late')
})

test('what could not be had early is asked for again', async () => {
  const fetch = earlyFetch(late, { '/b': Promise.reject(new TypeError('no server')) }, () => true)
  expect(await (await fetch('/b', { method: 'GET' })).text()).toBe('late')
  expect(asked.at(-1)).toBe('/b')
})

test('after anything was done, what was asked for before it does not count', async () => {
  const fetch = earlyFetch(late, { '/c': Promise.resolve(new Response('locked', { status: 401 })) }, () => true)
  await fetch('/ai/auth', { method: 'POST' })
  expect((await fetch('/c', { method: 'GET' })).status).toBe(200)
})

test('what was asked for long ago is asked for again', async () => {
  const fetch = earlyFetch(late, { '/d': Promise.resolve(new Response('early')) }, () => false)
  expect(await (await fetch('/d', { method: 'GET' })).text()).toBe('late')
})

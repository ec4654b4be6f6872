import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { slicedFetch, wireFaults, wireServer, type WireServer } from './wire-server.ts'

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
afterAll(() => server.close())

const ask = (signal?: AbortSignal, send = fetch) =>
  send(`${server.baseURL('custom')}/chat/completions`, {
    method: 'POST',
    body: '{"model":"wire-1","stream":true}',
    ...(signal && { signal }),
  })

test.each(['by the server', 'by fetch'])('chunks have the requested size, cut %s', async (where) => {
  server.play({ turn: { text: '世界' }, ...(where === 'by the server' && { chunkBytes: 7 }) })
  const sizes: number[] = []
  const response = await ask(undefined, where === 'by fetch' ? slicedFetch(7) : fetch)
  for await (const chunk of response.body ?? []) sizes.push((chunk as Uint8Array).length)
  expect(sizes.length).toBeGreaterThan(50)
  expect(sizes.filter((size) => size === 7).length).toBeGreaterThan(sizes.length * 0.9)
})

test('a request without a queued answer gets an error', async () => {
  const response = await ask()
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('no answer left')
})

beforeEach(() => server.clear())

test.each(wireFaults)('%s affects only one answer', async (fault) => {
  server.play({ fault }, { turn: { text: 'fine' } })
  const stop = new AbortController()
  const arrived = server.nextRequest()
  const spoilt = ask(stop.signal).then(async (response) => {
    if (fault === 'stall') return 'stalled'
    return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
  })
  await arrived
  if (fault === 'stall-start') stop.abort()
  const outcome = await spoilt.catch((error: unknown) => String(error))
  stop.abort()
  expect(outcome).not.toMatch(/finish_reason":"stop"/)
  expect(await (await ask()).text()).toMatch(/finish_reason":"stop"/)
})

import { expect, test } from 'vitest'
import { guardFetch } from './guard-fetch.ts'

function guarded(response: () => Response, seen: RequestInit[] = []): typeof fetch {
  const inner = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    seen.push(init ?? {})
    return response()
  }
  return guardFetch(inner, (text) => text.replaceAll('canary', '[redacted]'))
}

test('a valid response passes unchanged', async () => {
  const answer = new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream', 'x-id': '7' } })
  const passed = await guarded(() => answer)('http://127.0.0.1/')
  expect(passed.headers.get('x-id')).toBe('7')
  expect(await passed.text()).toBe('data: {}\n\n')
})

test('JSON is a response unless a stream was requested', async () => {
  const json = guarded(() => Response.json({ error: { message: 'no streams here' } }))
  expect((await json('http://127.0.0.1/', { body: '{"stream":false}' })).status).toBe(200)
  for (const [url, init] of [
    ['http://127.0.0.1/', { body: '{"model":"x","stream":true}' }],
    ['http://127.0.0.1/models/x:streamGenerateContent?alt=sse', {}],
    ['http://127.0.0.1/', { headers: { 'ai-language-model-streaming': 'true' } }],
  ] as const) {
    await expect(json(url, init)).rejects.toMatchObject({
      statusCode: 200,
      responseBody: expect.stringContaining('no streams here'),
    })
  }
})

test('a redirect is not followed, because key headers would be sent to another host', async () => {
  const seen: RequestInit[] = []
  const away = guarded(
    () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } }),
    seen,
  )
  await expect(away('http://127.0.0.1/')).rejects.toMatchObject({
    statusCode: 307,
    message: 'redirected to https://elsewhere.example',
  })
  expect(seen[0]?.redirect).toBe('manual')
})

test('an error body that quotes the key is cleaned, and the rest of the answer kept', async () => {
  const refused = guarded(() => new Response('key canary is wrong', { status: 401, headers: { 'retry-after': '3' } }))
  const response = await refused('http://127.0.0.1/')
  expect(await response.text()).toBe('key [redacted] is wrong')
  expect(response.status).toBe(401)
  expect(response.headers.get('retry-after')).toBe('3')
})

test('an endless error body is read only in part', async () => {
  let cancelled = false
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(120)),
    cancel: () => void (cancelled = true),
  })
  const response = await guarded(() => new Response(endless, { status: 500 }))('http://127.0.0.1/')
  expect((await response.text()).length).toBeLessThan(512 * 1024)
  expect(cancelled).toBe(true)
})

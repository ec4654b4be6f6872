import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, refuseAll, send } from '../testing/requests.ts'
import { readChat, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
  await server.chat('known', userMessage('hello', 'known-message'))
})
afterAll(() => server.close())

describe('POST /ai/chat', () => {
  it('rejects invalid messages, and stores nothing', async () => {
    const text = { type: 'text', text: 'x' }
    const ok = { id: 'm', role: 'user', parts: [text] }
    const ids = ['', '..', 'a/b', 'a\0', 'x'.repeat(65), 'x'.repeat(10_000), 'ü', ' ', 'a b', 42, null, {}, []]
    const messages = [
      ...ids.map((id) => ({ ...ok, id })),
      { ...ok, role: 'system' },
      { ...ok, role: 'assistant' },
      { ...ok, role: 'tool' },
      { ...ok, parts: 'text' },
      { ...ok, parts: [] },
      { ...ok, parts: [null] },
      { ...ok, parts: [{ type: 'text' }] },
      { ...ok, parts: [{ type: 'text', text: 7 }] },
      { ...ok, parts: [{ type: 'text', text: '  \n ' }] },
      { ...ok, parts: [{ type: 'tool-TimeNow', toolCallId: 'x', state: 'output-available', input: {}, output: 1 }] },
      { ...ok, parts: [{ type: 'reasoning', text: 'x' }] },
      { ...ok, parts: [{ type: 'step-start' }] },
      { ...ok, parts: [{ type: 'data-', data: 1 }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'image/png', url: 'http://evil.example/x.png' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'image/png', url: 'file:///etc/passwd' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,%%%' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'text/plain', url: 'data:text/plain,%zz' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'text/plain', url: 'data:text/plain,' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'a\r\nb: c', url: 'data:text/plain,x' }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'text/plain', url: `/ai/blobs/${'0'.repeat(64)}` }] },
      { ...ok, parts: [{ type: 'file', mediaType: 'text/plain', url: '/ai/blobs/../token' }] },
      { ...ok, parts: Array.from({ length: 10_001 }, () => text) },
      'text',
      null,
      42,
    ]
    const bodies = [
      ...messages.map((message) => ({ sessionId: 'bad', message })),
      ...messages.map((message) => ({ sessionId: 'bad', messages: [message] })),
      ...ids.map((sessionId) => ({ sessionId, message: ok })),
      ...ids
        .map((parentMessageId) => ({ sessionId: 'bad', message: ok, parentMessageId }))
        .filter(({ parentMessageId }) => parentMessageId !== null),
      { sessionId: 'bad' },
      { sessionId: 'bad', messages: [] },
      { sessionId: 'bad', messages: {} },
      { sessionId: 'bad', message: ok, trigger: 'explode' },
      { sessionId: 'bad', message: ok, model: 7 },
      { sessionId: 'bad', message: ok, model: 'x'.repeat(10_000) },
      { sessionId: 'bad', message: ok, responseMode: 'xml' },
      { sessionId: 'bad', message: ok, maxSteps: -1 },
    ]
    const refusals = await refuseAll(
      server,
      bodies.map((body) => () => send(server, 'POST', '/ai/chat', { headers: json, body: JSON.stringify(body) })),
    )
    expect(new Set(refusals.map(({ name }) => name))).toEqual(
      new Set(['BadRequest', 'BlobNotFound', 'SessionNotFound']),
    )
  })

  it('accepts unusual but valid input', async () => {
    const odd = [
      '\0',
      '\ud800 lone',
      '👩‍👩‍👧',
      'a\u2028\u2029',
      '<script>alert(1)</script>',
      '__proto__',
      '{"a":1}',
      '\\',
      '"',
      'x'.repeat(100_000),
      '﷽'.repeat(500),
    ]
    for (const [i, text] of odd.entries()) {
      const answer = await server.chat(`odd${i}`, text)
      expect(answer.status).toBe(200)
      const [question] = await server.messages(`odd${i}`)
      expect(question?.parts).toEqual([{ type: 'text', text }])
    }
    const history = [
      { id: 'h', role: 'assistant', parts: [JSON.parse('{"type":"tool-X","output":{"__proto__":1}}') as object] },
      userMessage('after'),
    ]
    expect(
      (await readChat(await server.request('/ai/chat', { body: { id: 'odd-history', messages: history } }))).status,
    ).toBe(200)
    expect(({} as Record<string, unknown>)['sessionId']).toBeUndefined()
  })
})

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createFold, foldChunks, type StreamEvent } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, readChat, shown, testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
})
afterAll(() => server.close())

/** Resolves once the server accepts the request. `rest` reads the remaining stream. */
const follow = async (
  sessionId: string,
  options: { after?: number; lastEventId?: string } = {},
): Promise<{ rest(): Promise<Chat> }> => {
  const query = options.after === undefined ? '' : `?after=${options.after}`
  const headers: Record<string, string> =
    options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }
  const response = await server.request(`/ai/chat/${sessionId}/stream${query}`, { headers })
  return { rest: () => readChat(response) }
}

/** Simulates a client that received events up to `after`, disconnected and resumed. */
function resumed(whole: StreamEvent[], after: number, tail: StreamEvent[]) {
  const fold = createFold()
  let seen = whole.findIndex((event) => (event.number as number) > after)
  if (seen === -1) seen = whole.length
  for (const { chunk } of whole.slice(0, seen)) fold.push(chunk)
  const next = whole[seen]
  const start = whole[seen - 1]?.number ?? whole[0]!.number! - 1
  if (next !== undefined && after > start) {
    const text = next.chunk as { delta?: string; inputTextDelta?: string }
    if (text.delta !== undefined) fold.push({ ...next.chunk, delta: text.delta.slice(0, after - start) } as never)
    if (text.inputTextDelta !== undefined)
      fold.push({ ...next.chunk, inputTextDelta: text.inputTextDelta.slice(0, after - start) } as never)
  }
  for (const { chunk } of tail) fold.push(chunk)
  return fold.snapshot()
}

describe('GET /ai/chat/:sessionId/stream', () => {
  it('gives the same message, byte for byte, from every event id', async () => {
    server.script('every n', [
      [
        { reasoning: 'thinking' },
        { text: 'Grüße 👩‍👩‍👧 — ok', chunks: 5 },
        { call: { name: 'TimeNow', input: { timezone: 'UTC' }, chunks: 4 } },
      ],
      [{ text: 'It is late. Good night.', chunks: 7 }, { gate: 'every n' }],
    ])
    const first = server.chat('every', 'every n')
    await server.model.reached('every n')
    const run = server.runs.get('every')!
    // Part of the stream is in the journal, part only in memory.
    const upTo = run.log.number
    const early = await Promise.all(Array.from({ length: upTo + 1 }, (_, after) => follow('every', { after })))
    const whole = await follow('every')
    server.model.open('every n')
    const { events, message } = await first
    const last = events.at(-1)!.number!
    expect((await whole.rest()).message).toEqual(message)
    expect(last).toBeGreaterThan(upTo)
    for (const [after, answer] of (await Promise.all(early.map((one) => one.rest()))).entries()) {
      expect(answer.status).toBe(200)
      // Numbers before the run's first belong to an earlier run, so the server sends everything.
      const known = after >= events[0]!.number! - 1
      expect(
        JSON.stringify(
          known ? resumed(events, after, answer.events) : foldChunks(answer.events.map(({ chunk }) => chunk)),
        ),
      ).toBe(JSON.stringify(message))
    }
    const [, stored] = await server.messages('every')
    expect(shown(stored!)).toEqual(message)
  }, 20_000)

  it('numbers only grow over the runs of a session', async () => {
    const first = await server.chat('numbers', 'one')
    const second = await server.chat('numbers', 'two')
    const numbers = [...first.events, ...second.events].map(({ number }) => number!)
    expect(numbers.every((number, i) => i === 0 || number > numbers[i - 1]!)).toBe(true)
  })

  it('sends the whole run to a client with an id of an earlier run, or a future one', async () => {
    const earlier = await server.chat('foreign', 'one')
    server.script('held', [[{ text: 'abc' }, { gate: 'foreign' }, { text: 'def' }]])
    const running = server.chat('foreign', 'held')
    await server.model.reached('foreign')
    const answers = await Promise.all(
      [1, earlier.events.at(-1)!.number! - 1, 999_999_999].map((after) => follow('foreign', { after })),
    )
    server.model.open('foreign')
    const { message } = await running
    for (const answer of answers) expect((await answer.rest()).message).toEqual(message)
  })

  it('prefers Last-Event-ID to ?after, because a browser that reconnects sends both', async () => {
    server.script('both', [[{ text: 'abcdef' }, { gate: 'both' }, { text: 'ghi' }]])
    const running = server.chat('both', 'both')
    await server.model.reached('both')
    const { number } = server.runs.get('both')!.log
    const tail = await follow('both', { after: 1, lastEventId: String(number) })
    const odd = await follow('both', { lastEventId: 'nonsense' })
    server.model.open('both')
    const { events, message } = await running
    expect((await tail.rest()).events).toEqual(events.filter((event) => event.number! > number))
    expect((await odd.rest()).message).toEqual(message)
    expect(await server.json('/ai/chat/both/stream?after=abc')).toMatchObject({
      status: 400,
      body: { error: { name: 'BadRequest' } },
    })
  })

  it('is 204 without a body when nothing runs, and 404 for a missing session', async () => {
    await server.chat('idle', 'x')
    const response = await server.request('/ai/chat/idle/stream')
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(await server.json('/ai/chat/nobody/stream')).toMatchObject({
      status: 404,
      body: { error: { name: 'SessionNotFound' } },
    })
  })

  it('has its content type, and is not cached', async () => {
    server.script('headers', [[{ text: 'a' }, { gate: 'headers' }]])
    const running = server.chat('headers', 'headers')
    await server.model.reached('headers')
    const answer = await server.request('/ai/chat/headers/stream')
    const head = await server.request('/ai/chat/headers/stream', { method: 'HEAD' })
    server.model.open('headers')
    for (const one of [answer.headers, head.headers]) {
      expect(one.get('content-type')).toBe('text/event-stream')
      expect(one.get('x-vercel-ai-ui-message-stream')).toBe('v1')
      expect(one.get('cache-control')).toContain('no-cache')
      expect(one.get('content-security-policy')).toContain("default-src 'none'")
    }
    expect(await head.text()).toBe('')
    expect(await answer.text()).toContain('data: [DONE]')
    await running
  })
})

describe('several clients', () => {
  it('two tabs see the same, and a closed tab never ends the run', async () => {
    server.script('tabs', [[{ text: 'one ', chunks: 2 }, { gate: 'tabs' }, { text: 'two', chunks: 3 }]])
    const closing = new AbortController()
    const posted = await server.request('/ai/chat', {
      body: { sessionId: 'tabs', message: userMessage('tabs') },
      signal: closing.signal,
    })
    await server.model.reached('tabs')
    const tabs = [await follow('tabs'), await follow('tabs')]
    closing.abort()
    await expect(posted.text()).rejects.toThrow('abort')
    server.model.open('tabs')
    const [a, b] = await Promise.all(tabs.map((tab) => tab.rest()))
    expect(b).toEqual(a)
    expect(a!.message.metadata?.aborted).toBeUndefined()
    expect(shown((await server.messages('tabs'))[1]!)).toEqual(a!.message)
  })

  it('one that reads nothing does not block others, and gets everything later', async () => {
    const piece = 'x'.repeat(10_000)
    server.script('flood', [[{ gate: 'flood' }, ...Array.from({ length: 700 }, () => ({ text: piece }))]])
    const reading = server.chat('flood', 'flood')
    await server.model.reached('flood')
    const slow = await openPaused(server, '/ai/chat/flood/stream')
    server.model.open('flood')
    const { message } = await reading
    expect(message.parts.length).toBe(701)
    const read = readChat(new Response(bodyOf(slow), { headers: { 'content-type': 'text/event-stream' } }))
    expect(JSON.stringify((await read).message)).toBe(JSON.stringify(message))
  }, 20_000)

  it('many that connect and disconnect leave nothing behind', async () => {
    server.script('come and go', [[{ text: 'a' }, { gate: 'go' }, { text: 'b' }]])
    const running = server.chat('go', 'come and go')
    await server.model.reached('go')
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const closing = new AbortController()
        const asked = server.request('/ai/chat/go/stream', { signal: closing.signal })
        if (i % 2 === 0) await asked
        closing.abort()
        await asked.then((response) => response.text()).catch(() => undefined)
      }),
    )
    server.model.open('go')
    expect((await running).types.at(-1)).toBe('finish')
    expect(server.lines.filter((line) => line.includes('"error"'))).toEqual([])
  })
})

function openPaused({ port, token }: TestServer, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.pause()
        resolve(response)
      },
    )
    request.on('error', reject)
    request.end()
  })
}

function bodyOf(response: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      response.on('data', (bytes: Buffer) => controller.enqueue(bytes))
      response.on('end', () => controller.close())
      response.on('error', (error) => controller.error(error))
      response.resume()
    },
  })
}

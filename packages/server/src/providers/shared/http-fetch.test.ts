import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpFetch } from './http-fetch.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`
}

const serve = (handler: Handler): Promise<string> => listen(createServer(handler))

const post = (init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
  body: JSON.stringify({ text: 'grüße 👋' }),
  redirect: 'manual',
  ...init,
})

interface Outcome {
  status?: number
  headers?: Record<string, string>
  text?: string
  error?: unknown
}

/** Sends the same request with `fetch` and with ours. */
async function both(url: string, init?: () => RequestInit): Promise<{ expected: Outcome; ours: Outcome }> {
  return { expected: await outcome(fetch, url, init?.()), ours: await outcome(httpFetch, url, init?.()) }
}

async function outcome(send: typeof fetch, url: string, init = post()): Promise<Outcome> {
  let text = ''
  let known: Outcome = {}
  try {
    const { ok, status, statusText, headers, body } = await send(url, init)
    const shown = Object.fromEntries([...headers].filter(([name]) => name !== 'date'))
    known = { status, headers: { ...shown, ok: String(ok), statusText } }
    const reader = body!.getReader()
    const decoder = new TextDecoder()
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += decoder.decode(read.value, { stream: true })
    return { ...known, text }
  } catch (error) {
    const { name, message, cause } = error as Error
    return { ...known, text, error: { name, message, code: (cause as { code?: string } | undefined)?.code } }
  }
}

const answers: [string, Handler][] = [
  [
    'a stream',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n'),
  ],
  ['a stream in pieces', (_, response) => void (response.write('grü'), setTimeout(() => response.end('ße'), 5))],
  ['an error with a body', (_, response) => void response.writeHead(429, { 'retry-after': '3' }).end('{"error":{}}')],
  ['a redirect', (_, response) => void response.writeHead(307, { location: 'http://other.test/' }).end('moved')],
  ['an empty answer', (_, response) => void response.writeHead(200, { 'content-length': '0' }).end()],
  [
    'repeated headers',
    (_, response) =>
      void response
        .writeHead(
          200,
          [
            ['x-a', '1'],
            ['x-a', '2'],
          ].flat(),
        )
        .end('ok'),
  ],
  [
    'hints before the answer',
    (_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.end('ok')),
  ],
]

describe('httpFetch answers as fetch does', () => {
  it.each(answers)('%s', async (_, handler) => {
    const { expected, ours } = await both(await serve(handler))
    expect(ours).toEqual(expected)
    expect(ours.status).toBeGreaterThan(0)
  })

  it('sends the method, the headers and the body', async () => {
    const url = await serve((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        const { authorization, 'content-type': type, 'content-length': length, accept } = request.headers
        response.end(JSON.stringify([request.method, request.url, authorization, type, length, accept, body]))
      })
    })
    const { expected, ours } = await both(url)
    expect(ours).toEqual(expected)
    expect(ours.text).toContain('grüße 👋')
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decompresses %s that it did not ask for', async (encoding, compress) => {
    const url = await serve(
      (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(compress('hello')),
    )
    expect(await outcome(httpFetch, url)).toMatchObject({ status: 200, text: 'hello' })
  })
})

describe('httpFetch fails as fetch does', () => {
  it('when nobody listens', async () => {
    const server = createTcpServer()
    const url = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    const { expected, ours } = await both(url)
    expect(ours.error).toMatchObject({ name: 'TypeError', message: 'fetch failed', code: 'ECONNREFUSED' })
    expect(ours.error).toEqual(expected.error)
  })

  it('when the connection breaks before the answer', async () => {
    const { ours } = await both(await serve(({ socket }) => void socket.destroy()))
    expect(ours).toMatchObject({ error: { name: 'TypeError', message: 'fetch failed', code: 'ECONNRESET' } })
  })

  it('when the connection breaks in the middle of the answer, after the text before it', async () => {
    const url = await serve((_, response) => {
      response.write('some')
      setTimeout(() => response.destroy(), 20)
    })
    const { expected, ours } = await both(url)
    expect(ours).toMatchObject({ status: 200, text: 'some', error: { name: 'TypeError', message: 'terminated' } })
    expect(expected).toMatchObject({ text: 'some', error: { name: 'TypeError', message: 'terminated' } })
  })

  it('when the answer is not HTTP', async () => {
    const url = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')))
    const { expected, ours } = await both(url)
    expect(ours.error).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
    expect(expected.error).toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  })

  it('with the reason of an abort before, during and after the request', async () => {
    const url = await serve((request, response) => {
      if (request.headers['x-when'] === 'after') response.write('some')
    })
    for (const [when, firstMs] of [
      ['before', undefined],
      ['during', 20],
      ['after', 20],
    ] as const) {
      let afterMs: number | undefined = firstMs
      // On a busy machine the text may arrive after the abort.
      await vi.waitFor(
        async () => {
          const { expected, ours } = await both(url, () => {
            const controller = new AbortController()
            const abort = (): void => controller.abort(new DOMException('too slow', 'TimeoutError'))
            if (afterMs === undefined) abort()
            else setTimeout(abort, afterMs)
            return post({ signal: controller.signal, headers: { 'x-when': when } })
          })
          if (afterMs !== undefined) afterMs *= 4
          expect(ours.error).toMatchObject({ name: 'TimeoutError', message: 'too slow' })
          expect(ours).toEqual(expected)
          expect(ours.text).toBe(when === 'after' ? 'some' : '')
        },
        { timeout: 10_000 },
      )
    }
  })

  it('for a header that cannot be sent, without showing its value', async () => {
    const url = await serve((_, response) => void response.end())
    const { error } = await outcome(httpFetch, url, post({ headers: { authorization: 'Bearer sk-ключ-123' } }))
    expect(error).toMatchObject({ name: 'TypeError' })
    expect(JSON.stringify(error)).not.toContain('sk-')
  })

  it('for a compression it does not know', async () => {
    const url = await serve((_, response) => void response.writeHead(200, { 'content-encoding': 'snappy' }).end('x'))
    expect((await outcome(httpFetch, url)).error).toMatchObject({ message: 'fetch failed' })
  })

  it('for compressed data that is damaged', async () => {
    const url = await serve((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'))
    expect((await outcome(httpFetch, url)).error).toMatchObject({ message: 'terminated' })
  })
})

it('uses a connection again, and a new one when the server has just closed it', async () => {
  let requests = 0
  const connections = new Set<Socket>()
  const url = await serve((request, response) => {
    connections.add(request.socket)
    // The second request on a connection finds it closed.
    if (++requests === 3) request.socket.destroy()
    else response.end('ok')
  })
  for (let i = 0; i < 3; i++) expect(await outcome(httpFetch, url)).toMatchObject({ text: 'ok' })
  expect(requests).toBe(4)
  expect(connections.size).toBe(2)
})

it('closes the connection when the answer is not read to its end', async () => {
  let closed: Promise<unknown> = Promise.reject(new Error('no request'))
  closed.catch(() => undefined)
  const url = await serve(({ socket }, response) => {
    closed = new Promise((resolve) => socket.once('close', resolve))
    response.write('some')
  })
  const { body } = await httpFetch(url, post())
  const reader = body!.getReader()
  expect((await reader.read()).done).toBe(false)
  await reader.cancel()
  await closed
})

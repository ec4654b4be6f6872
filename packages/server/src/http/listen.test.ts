import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { json } from '../testing/requests.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
  await server.chat('known', userMessage('hello', 'known-message'))
})
afterAll(() => server.close())

describe('on the socket', () => {
  const raw = (text: string | Uint8Array): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (bytes) => (answer += bytes.toString('latin1')))
      socket.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
      )
      socket.on('close', () => resolve(answer))
    })
  const host = () => `127.0.0.1:${server.port}`
  const status = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

  it('requests that are hardly HTTP are refused, and the server lives on', async () => {
    const before = server.written()
    const heads = [
      `GET /health HTTP/1.1\r\nconnection: close\r\n\r\n`,
      `GET /health HTTP/1.0\r\n\r\n`,
      `GET /health HTTP/1.1\r\nhost: ${host()}\r\nhost: evil\r\nconnection: close\r\n\r\n`,
      `GET http://evil.example/health HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
      `GET /../../../etc/passwd HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `GET /..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `GET //evil.example/x HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `GET /%00 HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `GET /% HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `GET /health HTTP/1.1\r\nhost: [::1\r\nconnection: close\r\n\r\n`,
      `GET /ai/sessions HTTP/1.1\r\nhost: ${host()}\r\nx: ${'y'.repeat(20_000)}\r\nconnection: close\r\n\r\n`,
      `BREW /health HTTP/1.1\r\nhost: ${host()}\r\nconnection: close\r\n\r\n`,
      `nonsense\r\n\r\n`,
      `POST /ai/chat HTTP/1.1\r\nhost: ${host()}\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{}`,
    ]
    for (const head of heads) {
      const code = status(await raw(head))
      expect([head, code >= 400 && code < 500]).toEqual([head, true])
    }
    expect(server.written()).toEqual(before)
    expect((await fetch(`http://${host()}/health`)).status).toBe(200)
  })

  it('a stream is complete even if a program replaced the global Response', async () => {
    vi.stubGlobal('Response', class extends Response {})
    const { types } = await server.chat('replaced', 'hello')
    expect(types.at(-1)).toBe('finish')
  })

  it('a body of 50 MB is rejected with and without a declared length', async () => {
    const before = server.written()
    const head = `POST /ai/chat HTTP/1.1\r\nhost: ${host()}\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\nconnection: close\r\n`
    expect(status(await raw(`${head}content-length: 50000000\r\n\r\n{`))).toBe(413)
    const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`
    const answer = await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(50)}0\r\n\r\n`)
    expect(status(answer)).toBe(413)
    const told = await fetch(`http://${host()}/ai/chat`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${server.token}` },
      body: Buffer.alloc(50_000_000, 0x20),
    })
    expect(told.status).toBe(413)
    expect((await fetch(`http://${host()}/health`)).status).toBe(200)
    expect(server.written()).toEqual(before)
  }, 20_000)
})

describe('a port', () => {
  it('that is in use or invalid is a named error, and the home is free again', async () => {
    const home = `${server.homePath}-2`
    const start = (options: object) => testServer({ home, listen: true, ...options })
    await expect(start({ port: server.port })).rejects.toMatchObject({ name: 'PortInUse', data: { port: server.port } })
    await expect(start({ env: { TROUPE_PORT: 'eighty' } })).rejects.toMatchObject({ name: 'BadPort' })
    await expect(start({ port: 70_000 })).rejects.toMatchObject({ name: 'BadPort' })
    await expect(start({ port: 0, host: '0.0.0.0' })).rejects.toMatchObject({ name: 'NotLoopback' })
    await expect(start({ port: 0, host: 'localhost.evil.example' })).rejects.toMatchObject({ name: 'NotLoopback' })
    const again = await start({ port: 0 })
    await expect(start({ port: 0 })).rejects.toMatchObject({
      name: 'HomeOwned',
      data: { owner: { port: again.port, pid: process.pid } },
    })
    await again.close()
  })
})

import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { checkedAddresses } from '@troupe/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestSite, type TestSite } from '../testing/test-site.ts'
import { type GuardProxy, startGuardProxy } from './guard-proxy.ts'

let site: TestSite
let echo: net.Server
let proxy: GuardProxy
const asked: string[] = []

beforeAll(async () => {
  site = await openTestSite({
    'a.test/': (request, response, body) => {
      const { 'proxy-connection': hop, accept, cookie } = request.headers
      response.writeHead(
        201,
        'Made',
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ].flat(),
      )
      response.end(JSON.stringify({ method: request.method, hop, accept, cookie, body }))
    },
  })
  echo = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await startGuardProxy((host, port) => {
    asked.push(`${host}:${port}`)
    return checkedAddresses(host, {
      allowed: host.endsWith('.test') ? ['127.0.0.1'] : [],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    })
  })
})
afterAll(async () => {
  await proxy.close()
  echo.close()
  await site.close()
})
beforeEach(() => {
  asked.length = 0
  site.requests.length = 0
})

async function ask(target: string, options: http.RequestOptions = {}, body = '') {
  const { hostname, port } = new URL(proxy.url)
  const request = http.request({ hostname, port, path: target, ...options })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

async function tunnel(target: string): Promise<{ status: number | undefined; socket: net.Socket }> {
  const { hostname, port } = new URL(proxy.url)
  const request = http.request({ hostname, port, method: 'CONNECT', path: target })
  request.end()
  const [response, socket] = (await once(request, 'connect')) as [http.IncomingMessage, net.Socket]
  return { status: response.statusCode, socket }
}

test('a request is forwarded unchanged, without hop-by-hop headers', async () => {
  const headers = { accept: 'x/y', cookie: 'c=1', 'proxy-connection': 'keep-alive', host: `a.test:${site.port}` }
  const answer = await ask(site.url('a.test/'), { method: 'PUT', headers }, 'a body')
  expect(answer).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } })
  expect(JSON.parse(answer.body)).toEqual({ method: 'PUT', accept: 'x/y', cookie: 'c=1', body: 'a body' })
  expect(asked).toEqual([`a.test:${site.port}`])
})

test('a tunnel forwards all bytes', async () => {
  const { port } = echo.address() as AddressInfo
  const { status, socket } = await tunnel(`a.test:${port}`)
  expect(status).toBe(200)
  socket.write('hello')
  expect(String(((await once(socket, 'data')) as [Buffer])[0])).toBe('hello')
  socket.destroy()
})

test('unchecked hosts are not reachable, by request or tunnel', async () => {
  for (const host of ['elsewhere.example', '127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '0.0.0.0']) {
    expect((await ask(`http://${host}:${site.port}/`)).body).toContain('is not on the public web')
    const { status, socket } = await tunnel(`${host}:${site.port}`)
    expect(status).toBe(403)
    socket.destroy()
  }
  expect(site.requests).toEqual([])
})

test('it answers only proxy requests', async () => {
  expect((await ask('/')).status).toBe(400)
  expect((await ask(`https://a.test:${site.port}/`)).status).toBe(400)
  expect((await ask('file:///etc/passwd')).status).toBe(400)
  expect(asked).toEqual([])
})

test('a broken response ends only that request', async () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n',
    'HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nmore',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/0',
    'HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'nonsense\r\n\r\n',
  ]
  let answer = ''
  const broken = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end(answer))
  })
  broken.listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const unheard: unknown[] = []
  const hear = (error: unknown): void => void unheard.push(error)
  process.on('uncaughtException', hear)
  process.on('unhandledRejection', hear)
  for (answer of answers)
    await ask(`http://a.test:${(broken.address() as AddressInfo).port}/`, { agent: false }).catch(() => undefined)
  expect((await ask(site.url('a.test/'), { headers: { host: `a.test:${site.port}` } })).status).toBe(201)
  process.off('uncaughtException', hear)
  process.off('unhandledRejection', hear)
  broken.close()
  expect(unheard).toEqual([])
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fill, json, listRoutes, pageCookie, refuseAll, send, type ListedRoute } from '../test/refuse.ts'
import { testServer, userMessage, type TestServer } from '../test/test-server.ts'

let server: TestServer
let routes: ListedRoute[]
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
  await server.chat('known', userMessage('hello', 'known-message'))
  routes = await listRoutes(server)
})
afterAll(() => server.close())

describe('every route', () => {
  it('but the few open ones needs the secret', async () => {
    expect(
      routes
        .filter(({ open }) => open)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    ).toEqual([
      // A browser comes back from a login elsewhere without our cookie: the state that it brings is the secret.
      'GET /ai/mcp/callback',
      'GET /health',
      'POST /ai/auth',
    ])
    const wrong = [
      {},
      { authorization: 'Bearer' },
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${btoa(`x:${server.token}`)}` },
      { authorization: `bearer${server.token}` },
      { cookie: `troupe-${server.port}=wrong` },
      { cookie: `troupe-${server.port}=${server.token}` },
    ]
    const closed = routes.filter(({ open }) => !open)
    const requests = closed.flatMap(({ method, path }) =>
      wrong.map(
        (headers) => () => send(server, method, fill(path, 'known'), { headers: { authorization: '', ...headers } }),
      ),
    )
    await refuseAll(server, requests, (answer) => expect([answer.status, answer.name]).toEqual([401, 'Unauthorized']))
  })

  it('answers only for its own host and its own page', async () => {
    const { port } = server
    const foreign = [
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: '127.0.0.1' },
      { host: `127.0.0.1:${port + 1}` },
      { host: `127.0.0.1:${port}.evil.example` },
      { host: `127.0.0.1.nip.io:${port}` },
      { host: '' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${port}.evil.example` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://localhost:${port}` },
      { origin: '' },
    ]
    const requests = routes.flatMap(({ method, path }) =>
      foreign.map((headers) => () => send(server, method, fill(path, 'known'), { headers })),
    )
    await refuseAll(server, requests, (answer) =>
      expect([answer.status, /^Foreign(Host|Origin)$/.test(answer.name ?? '')]).toEqual([403, true]),
    )
  })

  it('and the page itself too, so that no other name of this machine brings it to light', async () => {
    const requests = ['/', '/index.html', '/assets/x.js', '/ai/nothing'].map(
      (target) => () => send(server, 'GET', target, { headers: { host: 'evil.example' } }),
    )
    const refusals = await refuseAll(server, requests)
    expect(refusals.every(({ name }) => name === 'ForeignHost')).toBe(true)
  })

  it('that changes something is closed to a cookie that comes without an origin', async () => {
    const cookie = await pageCookie(server)
    const changing = routes.filter(({ method, open }) => method !== 'GET' && !open)
    const requests = changing.map(
      ({ method, path }) =>
        () =>
          send(server, method, fill(path, 'known'), { headers: { authorization: '', cookie } }),
    )
    await refuseAll(server, requests, (answer) => expect([answer.status, answer.name]).toEqual([403, 'ForeignOrigin']))
    const origin = `http://127.0.0.1:${server.port}`
    expect((await send(server, 'GET', '/ai/sessions', { headers: { authorization: '', cookie } })).status).toBe(200)
    expect(
      (await send(server, 'POST', '/ai/chat/known/stop', { headers: { authorization: '', cookie, origin } })).name,
    ).toBe('NoRun')
  })
})

describe('the one-time key', () => {
  it('gives the cookie once', async () => {
    const key = new URL(server.newUrl()).hash.slice('#k='.length)
    const first = await send(server, 'POST', '/ai/auth', {
      headers: { ...json, authorization: '' },
      body: JSON.stringify({ key }),
    })
    expect(first.status).toBe(200)
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^troupe-${server.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/`),
    )
    expect(first.headers.get('set-cookie')).not.toContain(server.token)
    const bodies = [{ key }, { key: '' }, { key: 'guess' }, { key: server.token }, {}, { key: 1 }]
    await refuseAll(
      server,
      bodies.map(
        (body) => () =>
          send(server, 'POST', '/ai/auth', { headers: { ...json, authorization: '' }, body: JSON.stringify(body) }),
      ),
    )
  })

  it('is made anew only for programs', async () => {
    const cookie = await pageCookie(server)
    const headers = { authorization: '', cookie, origin: `http://127.0.0.1:${server.port}` }
    await refuseAll(server, [() => send(server, 'POST', '/ai/auth/keys', { headers })], ({ status }) =>
      expect(status).toBe(401),
    )
    expect((await send(server, 'POST', '/ai/auth/keys')).status).toBe(200)
  })
})

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askAuth, fill, json, type ListedRoute, listRoutes, openPage, refuseAll, send } from '../testing/requests.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

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
      // A browser returns from an external login without our credential. The state parameter is the secret.
      'GET /ai/mcp/callback',
      'GET /ai/me',
      'GET /health',
      'GET /metrics',
      'GET /ready',
      'POST /ai/auth',
      'POST /ai/auth/challenge',
    ])
    const wrong: Record<string, string>[] = [
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
    const foreign: Record<string, string>[] = [
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

  it('and the page itself, so that no other name of this machine reveals it', async () => {
    const requests = ['/', '/index.html', '/assets/x.js', '/ai/nothing'].map(
      (target) => () => send(server, 'GET', target, { headers: { host: 'evil.example' } }),
    )
    const refusals = await refuseAll(server, requests)
    expect(refusals.every(({ name }) => name === 'ForeignHost')).toBe(true)
  })

  it('accepts the page’s credential only in its header, at its own origin', async () => {
    const { credential, linkKey } = await openPage(server)
    const get = (headers: Record<string, string>, target = '/ai/sessions') =>
      send(server, 'GET', target, { headers: { authorization: '', ...headers } })
    expect((await get({ authorization: `Page ${credential}` })).status).toBe(200)
    const wrong: Record<string, string>[] = [
      { cookie: `troupe-${server.port}=${credential}` },
      { cookie: `authorization=Page ${credential}` },
      { authorization: `Bearer ${credential}` },
      { authorization: `Page ${linkKey}` },
      { authorization: `Page ${server.token}` },
      { authorization: `Page ${credential}`, host: `localhost:${server.port}` },
      { authorization: `Page ${credential}`, host: `[::1]:${server.port}` },
    ]
    await refuseAll(
      server,
      wrong.map((headers) => () => get(headers)),
    )
    await refuseAll(
      server,
      ['?access=', '?credential=', '?token='].map((query) => () => get({}, `/ai/sessions${query}${credential}`)),
      ({ status }) => expect(status).toBe(401),
    )
  })

  it('that a browser requests itself needs a URL signed by the page', async () => {
    const { linkKey } = await openPage(server)
    const sign = (target: string, key = linkKey): string =>
      `${target}${target.includes('?') ? '&' : '?'}access=${createHmac('sha256', key).update(target).digest('base64url')}`
    const get = (target: string, method = 'GET') => send(server, method, target, { headers: { authorization: '' } })
    const link = sign('/ai/sessions/known/export?format=md')
    expect((await get(link)).status).toBe(200)
    const linkable = routes.filter(({ operation }) => operation.security.some((one) => 'link' in one))
    expect(linkable.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /ai/audit/export',
      'GET /ai/blobs/{sha256}',
      'GET /ai/documents/picture',
      'GET /ai/files/download',
      'GET /ai/people/{id}/data',
      'GET /ai/sessions/{id}/export',
      'GET /ai/sessions/{id}/file',
      'GET /ai/usage/export',
    ])
    const closed = routes.filter((route) => !route.open && !linkable.includes(route))
    const others = closed.map(
      ({ method, path }) =>
        () =>
          get(sign(fill(path, 'known')), method),
    )
    await refuseAll(server, others, ({ status }) => expect(status).toBe(401))
    const forged = [
      link.replace('format=md', 'format=json'),
      link.replace('known', 'other'),
      `${link}&format=json`,
      link.replace('format=md&', ''),
      sign('/ai/sessions/known/export?format=md', server.token),
      `${sign('/ai/sessions/known/export')}&format=md`,
    ]
    await refuseAll(
      server,
      forged.map((target) => () => get(target)),
      ({ status }) => expect(status).toBe(401),
    )
  })

  it('judges the host that the request target names', async () => {
    const head = `Host: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`
    const ask = (target: string): Promise<string> => rawRequest(server.port, `GET ${target} HTTP/1.1\r\n${head}`)
    expect(await ask(`http://127.0.0.1:${server.port}/ai/config`)).toMatch(/^HTTP\/1.1 200 /)
    expect(await ask('/ai/config')).toMatch(/^HTTP\/1.1 200 /)
    for (const target of ['http://evil.example/ai/config', `http://localhost:${server.port}/ai/config`])
      expect(await ask(target)).toMatch(/^HTTP\/1.1 403 [\s\S]*ForeignHost/)
  })
})

describe('the one-time key', () => {
  it('gives one credential, and no cookie', async () => {
    const key = new URL(server.newUrl()).hash.slice('#k='.length)
    const first = await askAuth(server, '/ai/auth', { key })
    expect(first.status).toBe(200)
    expect(first.headers.get('set-cookie')).toBeNull()
    const given = (await first.json()) as Record<string, unknown>
    expect(given).toEqual({ credential: secret, linkKey: secret, pageId: null })
    expect(Object.values(given)).not.toContain(server.token)
    const bodies = [{ key }, { key: '' }, { key: 'guess' }, { key: server.token }, {}, { key: 1 }]
    await refuseAll(
      server,
      bodies.map(
        (body) => () =>
          send(server, 'POST', '/ai/auth', { headers: { ...json, authorization: '' }, body: JSON.stringify(body) }),
      ),
    )
  })

  it('is renewed only for programs', async () => {
    const { credential } = await openPage(server)
    const headers = { authorization: `Page ${credential}` }
    await refuseAll(server, [() => send(server, 'POST', '/ai/auth/keys', { headers })], ({ status }) =>
      expect(status).toBe(401),
    )
    expect((await send(server, 'POST', '/ai/auth/keys')).status).toBe(200)
  })

  it('is not waited for longer than a key can be', async () => {
    const head = `POST /ai/auth HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n`
    const long = await rawRequest(server.port, `${head}Content-Length: 32000000\r\n\r\n`)
    expect(long).toMatch(/^HTTP\/1.1 413 [\s\S]*BodyTooLarge/)
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
    const chunked = await rawRequest(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)
    expect(chunked).toMatch(/^HTTP\/1.1 413 [\s\S]*BodyTooLarge/)
  })
})

describe('a page that is known', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
  const signed = (text: string, privateKey = keys.privateKey): string =>
    sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  const nonceOf = async (asked: TestServer): Promise<string> =>
    ((await (await askAuth(asked, '/ai/auth/challenge', {})).json()) as { nonce: string }).nonce
  const resume = async (asked: TestServer, body: object) => {
    const answer = await askAuth(asked, '/ai/auth', body)
    return { status: answer.status, body: (await answer.json()) as { credential?: string } }
  }

  it('gets the credential of a restarted server for a signed challenge, and the old one is invalid', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'troupe-pages-'))
    const before = await testServer({ home, listen: true, port: 0 })
    const origin = `http://127.0.0.1:${before.port}`
    const { credential: old, pageId } = await openPage(before, publicKey)
    const staleNonce = await nonceOf(before)
    const { port } = before
    await before.close()
    const after = await testServer({ home, listen: true, port })
    try {
      expect(statSync(path.join(home, 'pages.json')).mode & 0o777).toBe(0o600)
      const get = (credential: string | undefined) =>
        send(after, 'GET', '/ai/sessions', { headers: { authorization: `Page ${credential}` } })
      expect((await get(old)).status).toBe(401)
      const claim = async (text: (nonce: string) => string, nonce?: string, privateKey = keys.privateKey) => {
        const used = nonce ?? (await nonceOf(after))
        return { pageId, nonce: used, signature: signed(text(used), privateKey) }
      }
      const right = (nonce: string): string => `troupe page\n${origin}\n${nonce}`
      const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      const wrong = [
        await claim((nonce) => nonce),
        await claim((nonce) => `troupe page\nhttp://127.0.0.1:${port + 1}\n${nonce}`),
        await claim(right, staleNonce),
        await claim(right, `${Date.now()}.made-up.${'A'.repeat(43)}`),
        await claim(right, undefined, stranger),
        { ...(await claim(right)), pageId: 'unknown' },
        { ...(await claim(right)), signature: '' },
      ]
      for (const body of wrong) expect(await resume(after, body)).toMatchObject({ status: 401 })
      const good = await claim(right)
      const { status, body } = await resume(after, good)
      expect(status).toBe(200)
      expect((await get(body.credential)).status).toBe(200)
      expect(await resume(after, good), 'a signature works once').toMatchObject({ status: 401 })
    } finally {
      await after.close()
      rmSync(home, { recursive: true, force: true })
    }
  })

  it('is known at its own origin only', async () => {
    const { pageId } = await openPage(server, publicKey)
    const host = `localhost:${server.port}`
    const nonce = await nonceOf(server)
    const signature = signed(`troupe page\nhttp://${host}\n${nonce}`)
    const body = JSON.stringify({ pageId, nonce, signature })
    const headers = { ...json, authorization: '', host, origin: `http://${host}` }
    const response = await server.app.request(`http://${host}/ai/auth`, { method: 'POST', headers, body })
    expect(response.status).toBe(401)
  })

  it('has a key of the right kind', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    for (const bad of ['', 'x', rsa.export({ format: 'der', type: 'spki' }).toString('base64url')]) {
      const key = new URL(server.newUrl()).hash.slice('#k='.length)
      expect((await askAuth(server, '/ai/auth', { key, publicKey: bad })).status).toBe(400)
    }
  })
})

const secret = expect.stringMatching(/^[\w-]{43}$/) as string

/** Sends raw bytes and returns the response, until the server closes or has sent a complete refusal. */
function rawRequest(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (data: string) => {
      text += data
      if (/"data":\{\}\}\}/.test(text)) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

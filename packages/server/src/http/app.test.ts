import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { fill, json, type ListedRoute, listRoutes, refuseAll, send } from '../testing/requests.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'
import { bodyBytes } from './app.ts'

let server: TestServer
let routes: ListedRoute[]
beforeAll(async () => {
  server = await testServer({ listen: true, port: 0 })
  await server.chat('known', userMessage('hello', 'known-message'))
  routes = await listRoutes(server)
})
afterAll(() => server.close())

/** Dots are resolved before sending, so the URL may match another route. */
function leadsElsewhere(address: string): boolean {
  const { pathname } = new URL(address, 'http://x')
  return routes.some((route) => route.path === pathname)
}

describe('every route', () => {
  it('refuses odd ids in its address', async () => {
    const odd = [
      '..',
      '.',
      '../../etc/passwd',
      'a/b',
      '\0',
      'a\0b',
      'x'.repeat(10_000),
      'ünïcödé',
      '👩‍👩‍👧',
      '日本',
      'a b',
      "' or 1=1 --",
      '%2e%2e',
      '%',
      'a\r\nb',
      '__proto__',
      '*',
      '${x}',
      '\ud800',
    ]
    const withParameters = routes.filter(({ path }) => path.includes('{'))
    // All routes share one check: each gets every third value, and each value reaches every third route.
    const share = <T>(values: readonly T[], turn: number): T[] => values.filter((_, i) => full || i % 3 === turn % 3)
    const requests = withParameters.flatMap(({ method, path }, turn) =>
      share(odd, turn)
        .filter((value) => !leadsElsewhere(fill(path, value)))
        .map(
          (value) => () =>
            send(server, method, fill(path, value), { headers: json, body: method === 'GET' ? undefined : '{}' }),
        ),
    )
    expect(await refuseAll(server, requests)).toHaveLength(requests.length)
    expect(requests.length).toBeGreaterThan((full ? 0.9 : 0.28) * odd.length * withParameters.length)
    const raws = ['%', '%zz', '%ff%fe', '%00', '..', '%2e%2e', '..%2f..%2ftoken', '%5c..%5c']
    for (const [turn, raw] of raws.entries()) {
      await refuseAll(
        server,
        share(withParameters, turn)
          .filter(({ path }) => !leadsElsewhere(path.replaceAll(/\{\w+\}/g, raw)))
          .map(
            ({ method, path }) =>
              () =>
                send(server, method, path.replaceAll(/\{\w+\}/g, raw), {
                  headers: json,
                  body: method === 'GET' ? undefined : '{}',
                }),
          ),
      )
    }
  })

  it('returns 404 for missing sessions, messages, asks, blobs and providers', async () => {
    const bodies: Record<string, object> = {
      'POST /ai/worktrees/{id}/merge': {},
      'POST /ai/worktrees/{id}/discard': {},
      'POST /ai/worktrees/{id}/pull-request': { title: 'x', body: '' },
      'PATCH /ai/agents/{name}': { enabled: false },
      'POST /ai/mcp/{name}/trust': { fingerprint: 'x' },
      'PATCH /ai/mcp/{name}': { enabled: false },
      'POST /ai/mcp/{name}/prompts/{prompt}': { arguments: {} },
      'POST /ai/commands/{name}': { rest: 'x' },
      'POST /ai/tools/{tool}/call': { input: {}, sessionId: 'calls' },
      'PATCH /ai/sessions/{id}/compactions/{compactionId}': { off: true },
      'POST /ai/sessions/{id}/agents/{agentId}/input': { id: 'more', text: 'more' },
      'POST /ai/chat/{sessionId}/steer': { id: 'x', text: 'y' },
      'PATCH /ai/sessions/{id}': { title: 'x' },
      'PATCH /ai/folders/{id}': { name: 'x' },
      'POST /ai/files/events/{id}': { folders: [] },
      'POST /ai/sessions/{id}/keep': { messageId: 'x' },
      'POST /ai/sessions/{id}/fork': { messageId: 'x' },
      'POST /ai/sessions/{id}/pick': { messageId: 'x' },
      'POST /ai/sessions/{id}/publish': {},
      'POST /ai/sessions/{id}/revert': { call: 'x' },
      'PUT /ai/sessions/{id}/messages/{messageId}/feedback': { rating: 'up' },
      'POST /ai/asks/{id}': { answer: { type: 'deny' } },
      'PATCH /ai/providers/{provider}': { apiKey: 'a-key-that-nobody-has' },
      'POST /ai/providers/{provider}/try-key': { apiKey: 'a-key-that-nobody-has' },
      'PATCH /ai/rules/{id}': { effect: 'deny' },
      'PATCH /ai/hooks/{id}': { enabled: false },
      'PATCH /ai/projects/{id}/tasks': { add: ['x'] },
    }
    // Terminals are refused to programs before they are looked up.
    const named = routes.filter(({ path }) => path.includes('{') && !path.startsWith('/ai/terminals'))
    for (const { method, path, json: takesJson } of named)
      if (takesJson) expect(bodies[`${method} ${path}`], `${method} ${path} needs a body here`).toBeDefined()
    const refusals = await refuseAll(
      server,
      named.map(({ method, path }) => () => {
        const body = bodies[`${method} ${path}`]
        return send(server, method, fill(path, 'nowhere'), { headers: json, body: body && JSON.stringify(body) })
      }),
    )
    for (const [index, { method, path }] of named.entries()) {
      expect(refusals[index]?.status, `${method} ${path}`).toBe(404)
      if (/sessions|chat|debug/.test(path)) expect(refusals[index]?.name).toBe('SessionNotFound')
    }
    await refuseAll(
      server,
      [
        () => send(server, 'DELETE', '/ai/sessions/known/messages/nowhere'),
        () => send(server, 'GET', '/ai/sessions/known/messages?leaf=nowhere'),
        () => send(server, 'GET', '/ai/sessions/known/messages?before=nowhere'),
        () => send(server, 'GET', '/ai/debug/known?messageId=nowhere'),
      ],
      ({ name }) => expect(name).toBe('MessageNotFound'),
    )
    await refuseAll(server, [() => send(server, 'GET', '/ai/asks?sessionId=nowhere')], ({ name }) =>
      expect(name).toBe('SessionNotFound'),
    )
  })

  it('that takes JSON rejects everything else, and JSON of another shape', async () => {
    const deep = (count: number, open: string, close: string) => open.repeat(count) + close.repeat(count)
    const bad: [string, string][] = [
      ['', 'BadJson'],
      ['{', 'BadJson'],
      ['{"a":1,}', 'BadJson'],
      ["{'a': 1}", 'BadJson'],
      ['\0', 'BadJson'],
      ['undefined', 'BadJson'],
      ['<xml/>', 'BadJson'],
      ['null', 'BadRequest'],
      ['[]', 'BadRequest'],
      ['42', 'BadRequest'],
      ['"text"', 'BadRequest'],
      ['true', 'BadRequest'],
      [deep(100_000, '[', ']'), 'TooDeep'],
      [deep(100_000, '{"a":', '}').replace(':}', ':1}'), 'TooDeep'],
      [`{"message":${deep(100_000, '[', ']')}}`, 'TooDeep'],
      ['{"__proto__":{"sessionId":"x"}}', 'BadRequest'],
      ['{"\\u005f_proto__":{}}', 'BadRequest'],
      ['{"id":"x","text":"y","deep":[{"__proto__":null}]}', 'BadRequest'],
    ]
    const takers = routes.filter(({ json: takesJson }) => takesJson)
    expect(takers.length).toBeGreaterThan(5)
    for (const [body, name] of bad) {
      // Routes without a secret have body limits too small for a deep body.
      const able = takers.filter(({ path }) => name !== 'TooDeep' || !path.startsWith('/ai/auth'))
      // All routes share one reader, and deep bodies take most of the time.
      const sent = full || name !== 'TooDeep' ? able : able.filter((_, i) => i % 8 === 0)
      await refuseAll(
        server,
        sent.map(
          ({ method, path }) =>
            () =>
              send(server, method, fill(path, 'known'), { headers: json, body }),
        ),
        (answer) => expect(answer.name).toBe(name),
      )
    }
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'text/json',
      '',
    ]
    await refuseAll(
      server,
      takers.flatMap(({ method, path }) =>
        types.map(
          (type) => () => send(server, method, fill(path, 'known'), { headers: { 'content-type': type }, body: '{}' }),
        ),
      ),
      (answer) => expect([answer.status, answer.name]).toEqual([415, 'NotJson']),
    )
  })

  it('rejects a body above 32 MiB', async () => {
    const large = new Uint8Array(bodyBytes + 1).fill(0x20)
    const takers = routes.filter(
      // Imports and uploads go to disk, so they may be larger.
      ({ operation, path }) =>
        operation.requestBody !== undefined && !['/ai/sessions/import', '/ai/files/upload'].includes(path),
    )
    // All routes share one code path: some are sent the bytes, all get the content length.
    await refuseAll(
      server,
      takers
        .filter((_, i) => i % 25 === 0)
        .map(
          ({ method, path }) =>
            () =>
              send(server, method, fill(path, 'known'), { headers: json, body: large }),
        ),
      (answer) => expect([answer.status, answer.name]).toEqual([413, 'BodyTooLarge']),
    )
    const told = { 'content-length': String(bodyBytes + 1) }
    await refuseAll(
      server,
      takers.map(
        ({ method, path }) =>
          () =>
            send(server, method, fill(path, 'known'), { headers: { ...json, ...told }, body: '{}' }),
      ),
      (answer) => expect(answer.name).toBe('BodyTooLarge'),
    )
  })

  it('rejects or handles unusual query values', async () => {
    const odd = [
      '',
      '0',
      '-1',
      '1e9',
      '99999999999999999999',
      'NaN',
      '\0',
      '"',
      "'",
      '*',
      '"a" OR',
      'NEAR(a b',
      'a AND',
      '(',
      ')',
      ':',
      '^',
      '-',
      '%',
      '../..',
      'ünï',
      '👩‍👩‍👧',
      'x'.repeat(5000),
      '{}',
      '[]',
      '\\',
      '\ud800',
      'title:x',
      'a* b*',
    ]
    const before = server.written()
    let parameters = 0
    for (const { method, path, operation, json: takesJson } of routes) {
      for (const { name } of operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []) {
        // Each parameter gets every third value, and each value reaches every third parameter.
        const turn = parameters++
        for (const value of odd.filter((_, i) => full || i % 3 === turn % 3)) {
          const { status } = await send(
            server,
            method,
            `${fill(path, 'known')}?${name}=${encodeURIComponent(value.toWellFormed())}`,
            takesJson ? { headers: json, body: '[]' } : {},
          )
          expect(status, `${path}?${name}=${value}`).toBeLessThan(500)
        }
      }
    }
    expect(server.written()).toEqual(before)
    expect(server.lines.filter((line) => line.includes('a request failed'))).toEqual([])
  })

  it('knows its methods: other methods get a list, HEAD is GET without a body', async () => {
    const paths = [...new Set(routes.map(({ path }) => path))]
    const unknown = ['PUT', 'OPTIONS', 'PROPFIND', 'LINK']
    await refuseAll(
      server,
      paths.flatMap((path) =>
        unknown
          .filter((method) => !routes.some((route) => route.path === path && route.method === method))
          .map((method) => () => send(server, method, fill(path, 'known'))),
      ),
      ({ status, headers }) => {
        expect(status).toBe(405)
        expect(headers.get('allow')).toMatch(/GET|POST|PUT|PATCH|DELETE/)
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      },
    )
    // A stream of changes has no end.
    const reading = routes.filter(({ method, path }) => method === 'GET' && path !== '/ai/files/events')
    for (const { path } of reading) {
      const target = fill(path, 'known')
      const [head, get] = [await send(server, 'HEAD', target), await send(server, 'GET', target)]
      expect([head.status, path]).toEqual([get.status, path])
      expect(head.name).toBeUndefined()
    }
  })

  it('has the security headers, even on errors', async () => {
    const answers = [
      await send(server, 'GET', '/ai/sessions'),
      await send(server, 'GET', '/nowhere'),
      await send(server, 'POST', '/ai/chat', { headers: json, body: '{' }),
      await send(server, 'GET', '/health', { headers: { host: 'evil' } }),
      await send(server, 'GET', '/'),
    ]
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toMatch(/no-store|no-cache/)
    }
  })
})

describe('a failing disk', () => {
  it('is named in the answer, and the next request works', async () => {
    const failure = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
    vi.spyOn(server.store.sessions, 'list').mockRejectedValueOnce(failure)
    const answer = await server.fetch('/ai/sessions')
    expect([answer.status, await answer.json()]).toMatchObject([507, { error: { name: 'DiskFull' } }])
    expect((await server.fetch('/ai/sessions')).status).toBe(200)
  })
})

describe('an unknown route', () => {
  it('is 404 with the secret, and below /ai reveals nothing without it', async () => {
    await refuseAll(
      server,
      [
        () => send(server, 'GET', '/ai/nothing'),
        () => send(server, 'POST', '/ai'),
        () => send(server, 'GET', '/nothing.html'),
        () => send(server, 'GET', '/ai%2Fsessions'),
      ],
      ({ status }) => expect(status).toBe(404),
    )
    await refuseAll(
      server,
      [
        () => send(server, 'GET', '/ai/nothing', { headers: { authorization: '' } }),
        () => send(server, 'OPTIONS', '/ai/sessions', { headers: { authorization: '' } }),
      ],
      ({ status }) => expect(status).toBe(401),
    )
  })
})

import { type Endpoint, NamedError } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../http/app.ts'
import type { Principal } from '../http/principal.ts'
import type { Route } from '../http/route.ts'
import { type Audit, openAudit } from './audit.ts'
import { observeRequests } from './observe-requests.ts'
import { openTestSqlite, type TestDatabase } from './testing/databases.ts'

const ann: Principal = {
  kind: 'person',
  person: { id: 'person-ann', name: 'Ann Lee', email: 'ann@shop.example', role: 'admin' },
}

function route(method: Route['method'], path: string, handle: Route['handle'], more: Partial<Endpoint> = {}): Route {
  return { summary: '', access: { on: 'self', right: 'read' }, answers: {}, method, path, handle, ...more }
}

describe('the record of requests', () => {
  let database: TestDatabase
  let audit: Audit
  let lines: Record<string, unknown>[]
  let now = 0
  beforeEach(async () => {
    database = await openTestSqlite()
    audit = openAudit({ db: database.db })
    lines = []
    now = 1_000_000
  })
  afterEach(() => database.close())

  function app(routes: Route[], record = audit.record) {
    return createApp({
      routes,
      access: {
        check(c: { req: { header(name: string): string | undefined } }) {
          if (c.req.header('authorization') === 'ann') return ann
          throw new NamedError('Unauthorized', 'No.', { status: 401 })
        },
      } as never,
      logger: () => undefined,
      openWorkspace: async () => ({ id: 'w' }) as never,
      observer: observeRequests({
        audit: { record },
        logger: (line) => void lines.push(line),
        addressOf: () => '10.0.0.9',
        clock: () => now,
      }),
    })
  }
  const asAnn = { headers: { authorization: 'ann' } }
  const actions = async () =>
    (await audit.search()).entries.map(({ actor, action, target, outcome }) => [
      actor.name,
      action,
      target?.id ?? null,
      outcome,
    ])

  it('says who changed what, also where no action is declared', async () => {
    const { request } = app([
      route('DELETE', '/ai/sessions/:id', () => undefined),
      route('POST', '/ai/worktrees/:id/merge', () => ({})),
      route('PATCH', '/ai/brand-new/:id', () => ({})),
      route('GET', '/ai/sessions/:id', () => ({})),
      route('GET', '/ai/sessions/:id/export', () => ({})),
    ])
    await request('/ai/sessions/s1', { method: 'DELETE', ...asAnn })
    await request('/ai/worktrees/w1/merge', { method: 'POST', ...asAnn })
    await request('/ai/brand-new/n1', { method: 'PATCH', ...asAnn })
    await request('/ai/sessions/s1', asAnn)
    await request('/ai/sessions/s2/export', asAnn)
    expect((await actions()).toReversed()).toEqual([
      ['Ann Lee', 'sessions.delete', 's1', 'ok'],
      ['Ann Lee', 'worktrees.merge', 'w1', 'ok'],
      ['Ann Lee', 'brand-new.change', 'n1', 'ok'],
      ['Ann Lee', 'session.export', 's2', 'ok'],
    ])
  })

  it('says who approved which tool call, and the rules that were remembered', async () => {
    const ask = { sessionId: 's1', toolName: 'Bash', runId: 'r1', toolCallId: 'c1', remember: ['Bash(make)'] }
    const { z } = await import('zod')
    const { request } = app([
      route('POST', '/ai/asks/:id', () => ({ ask, settled: ['k2'] }), { body: z.looseObject({}) }),
    ])
    const body = JSON.stringify({ answer: { type: 'approve', remember: 'project' } })
    const headers = { ...asAnn.headers, 'content-type': 'application/json' }
    await request('/ai/asks/k1', { method: 'POST', headers, body })
    expect((await audit.search()).entries).toMatchObject([
      {
        actor: { name: 'Ann Lee' },
        action: 'approval.answer',
        target: { type: 'session', id: 's1' },
        address: '10.0.0.9',
        detail: {
          ask: 'k1',
          tool: 'Bash',
          run: 'r1',
          call: 'c1',
          answer: 'approve',
          remember: 'project',
          rules: ['Bash(make)'],
          settled: ['k2'],
        },
      },
    ])
  })

  it('keeps no values of a body', async () => {
    const { z } = await import('zod')
    const { request } = app([route('PATCH', '/ai/providers/:provider', () => ({}), { body: z.looseObject({}) })])
    const body = JSON.stringify({ apiKey: 'sk-live', baseURL: 'https://user:pw@x.example' })
    await request('/ai/providers/shop', {
      method: 'PATCH',
      headers: { ...asAnn.headers, 'content-type': 'application/json' },
      body,
    })
    const [entry] = (await audit.search()).entries
    expect(entry).toMatchObject({ action: 'providers.change', detail: { fields: ['apiKey', 'baseURL'] } })
    expect(JSON.stringify(entry)).not.toMatch(/sk-live|pw@/)
  })

  it('records refused and failed requests, also reads', async () => {
    const { request } = app([
      route('GET', '/ai/sessions/:id', () => {
        throw new NamedError('Forbidden', 'No.', { status: 403 })
      }),
      route('DELETE', '/ai/sessions/:id', () => {
        throw new Error('broken')
      }),
      route('POST', '/ai/tabs', () => {
        throw new NamedError('Forbidden', 'No.', { status: 403 })
      }),
    ])
    await request('/ai/sessions/s1', asAnn)
    await request('/ai/sessions/s1', { method: 'DELETE', ...asAnn })
    await request('/ai/tabs', { method: 'POST', ...asAnn })
    await request('/ai/sessions/s1')
    expect((await actions()).toReversed()).toEqual([
      ['Ann Lee', 'sessions.read', 's1', 'denied'],
      ['Ann Lee', 'sessions.delete', 's1', 'failed'],
      ['Ann Lee', 'tabs.create', null, 'denied'],
      ['anonymous', 'sessions.read', 's1', 'denied'],
    ])
  })

  it('cannot be flooded by strangers', async () => {
    const { request } = app([route('GET', '/ai/sessions', () => ({}))])
    for (let i = 0; i < 50; i++) await request('/ai/sessions')
    expect((await audit.search({ limit: 100 })).entries).toHaveLength(10)
    now += 60_000
    await request('/ai/sessions')
    expect((await audit.search()).entries[0]?.detail).toMatchObject({ alsoRefused: 40 })
  })

  it('fails a change that could not be recorded', async () => {
    const { request } = app([route('DELETE', '/ai/sessions/:id', () => undefined)], () =>
      Promise.reject(new Error('disk full')),
    )
    expect((await request('/ai/sessions/s1', { method: 'DELETE', ...asAnn })).status).toBe(500)
  })

  it('gives each request an id, in the response and in the log', async () => {
    const { request } = app([route('GET', '/ai/sessions/:id', () => ({}))])
    const first = await request('/ai/sessions/s1', asAnn)
    const id = first.headers.get('x-request-id')
    expect(id).toMatch(/^[\w-]{12}$/)
    expect(lines).toMatchObject([{ requestId: id, route: '/ai/sessions/:id', status: 200, person: 'person-ann' }])
    const given = { headers: { ...asAnn.headers, 'x-request-id': 'proxy-12345' } }
    expect((await request('/ai/sessions/s1', given)).headers.get('x-request-id')).toBe('proxy-12345')
    const hostile = { headers: { ...asAnn.headers, 'x-request-id': '"><script>' } }
    expect((await request('/ai/sessions/s1', hostile)).headers.get('x-request-id')).toMatch(/^[\w-]{12}$/)
  })
})

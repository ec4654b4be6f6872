import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { type TestServer, testServer } from '../testing/test-server.ts'
import { teamServer } from '../governance/testing/team-server.ts'
import { createMeasuring } from './measuring.ts'

describe('operations', () => {
  let server: TestServer | undefined
  afterEach(() => server?.close())

  it('is ready until the database fails, is older, or the server drains', async () => {
    server = await testServer()
    const good = await server.json<object>('/ready')
    expect(good).toEqual({
      status: 200,
      body: { ok: true, checks: { store: true, migrations: true, draining: false } },
    })
    const { db } = server.store as unknown as SqlStore
    await sql`delete from schema_version where version = (select max(version) from schema_version)`.execute(db)
    expect(await server.json('/ready')).toMatchObject({ status: 503, body: { checks: { migrations: false } } })
    await sql`alter table schema_version rename to gone`.execute(db)
    expect(await server.json('/ready')).toMatchObject({ status: 503, body: { checks: { store: false } } })
    await sql`alter table gone rename to schema_version`.execute(db)
  })

  it('has no metrics unless they are turned on', async () => {
    server = await testServer()
    expect((await server.request('/metrics')).status).toBe(404)
    await server.close()
    server = await testServer({ config: { metrics: true } })
    const text = await (await server.request('/metrics')).text()
    expect(text).toContain('nodejs_eventloop_lag_seconds')
  })

  it('counts runs, requests by route, chunks and statements', async () => {
    const team = await teamServer({ listen: true, port: 0 })
    server = team
    team.script('wait', [[{ call: { name: 'TestApproval', input: { message: 'Go?' } } }], [{ text: 'Done.' }]])
    await team.as('ann').chat('s1', 'hello')
    await team.as('ann').chat('s2', 'wait')
    await team.as('ann').request('/ai/sessions/unknown-id')
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
    expect(text).toMatch(/troupe_runs\{state="waiting"\} 1\n/)
    expect(text).toMatch(/troupe_runs\{state="running"\} 0\n/)
    expect(text).toContain('troupe_queue_depth 0')
    expect(text).toMatch(/troupe_http_request_seconds_count\{method="POST",route="\/ai\/chat",status="200"\} 2\n/)
    expect(text).toMatch(/route="\/ai\/sessions\/:id",status="404"\} 1\n/)
    expect(text).not.toContain('unknown-id')
    for (const name of [
      'troupe_chunk_seconds_count',
      'troupe_store_seconds_count{kind="write"}',
      'troupe_store_seconds_count{kind="read"}',
    ])
      expect(Number(text.split(`${name} `)[1]?.split('\n')[0])).toBeGreaterThan(0)
  })

  it('shows metrics to this machine, or to who has the token', async () => {
    server = await teamServer({ listen: true, port: 0 })
    const url = `http://127.0.0.1:${server.port}/metrics`
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(url, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(401)
    await server.close()
    server = await teamServer({ listen: true, port: 0, env: { TROUPE_METRICS_TOKEN: 'for-prometheus' } })
    const secured = `http://127.0.0.1:${server.port}/metrics`
    expect((await fetch(secured)).status).toBe(401)
    expect((await fetch(secured, { headers: { authorization: 'Bearer for-prometheuz' } })).status).toBe(401)
    expect((await fetch(secured, { headers: { authorization: 'Bearer for-prometheus' } })).status).toBe(200)
  })

  it('names slow statements without their values', () => {
    const lines: object[] = []
    const measuring = createMeasuring({ isOn: true, logger: () => (line) => void lines.push(line), slowMs: 100 })
    const query = { sql: 'select * from message where id = ?', parameters: ['private'] }
    for (const ms of [20, 150]) measuring.onQuery?.({ level: 'query', query, queryDurationMillis: ms } as never)
    expect(lines).toEqual([{ level: 'warn', message: 'slow query', ms: 150, sql: query.sql }])
    expect(measuring.slowQueries.list()).toMatchObject([{ ms: 150, sql: query.sql }])
  })

  it('gives admins an overview, and nobody else', async () => {
    const team = await teamServer()
    server = team
    team.script('wait', [[{ call: { name: 'TestApproval', input: { message: 'Go?' } } }], [{ text: 'Done.' }]])
    await team.as('ann').chat('s1', 'wait')
    expect((await team.as('ann').json('/ai/admin/overview')).status).toBe(403)
    const { body } = await team.as('admin').json<Record<string, unknown>>('/ai/admin/overview')
    expect(body).toMatchObject({
      versions: { node: process.versions.node },
      nodes: [{ draining: false }],
      queueDepth: 0,
      runs: [{ sessionId: 's1', status: 'waiting' }],
    })
  })

  it('writes the id of a request with the lines of its run', async () => {
    const team = await teamServer()
    server = team
    await team.as('ann').request('/ai/chat', {
      headers: { 'x-request-id': 'request-42' },
      body: { sessionId: 's1', message: { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hello' }] } },
    })
    const lines = () => team.lines.map((line) => JSON.parse(line) as { requestId?: string; run?: string })
    await expect
      .poll(() => lines().some(({ requestId, run }) => requestId === 'request-42' && run !== undefined))
      .toBe(true)
  })
})

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Answered } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const password = 'a-very-secret-password'

let server: TestServer
beforeAll(async () => {
  const shop = { type: 'postgres', host: '127.0.0.1', port: 9, database: 'shop', user: 'reader', password }
  server = await testServer({ config: { model: 'test/script', connections: { shop } } })
  writeFileSync(path.join(server.homePath, '..', 'workspace', 'sales.csv'), 'region,amount\nnorth,1\nsouth,2\n')
})
afterAll(() => server.close())

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: { sessionId: 's1', format: 'csv', ...body },
})

test('connections are listed without addresses and passwords', async () => {
  const { body } = await server.json<Answered<'GET /ai/connections'>>('/ai/connections')
  expect(body.connections).toEqual([
    { name: 'troupe', type: 'troupe', writable: false },
    { name: 'shop', type: 'postgres', writable: false },
  ])
})

test('all rows of a query are returned as a file', async () => {
  const response = await server.request('/ai/query/export', post({ sql: "select * from 'sales.csv'" }))
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="query.csv"')
  expect(await response.text()).toBe('region,amount\r\nnorth,1\r\nsouth,2\r\n')
  const workbook = await server.request('/ai/query/export', post({ sql: "select * from 'sales.csv'", format: 'xlsx' }))
  expect(Buffer.from(await workbook.arrayBuffer()).toString('latin1', 0, 2)).toBe('PK')
})

test('a statement that fails says why, and no password leaves the server', async () => {
  for (const sql of ["delete from 'sales.csv'", "select * from '/etc/passwd'", 'select * from missing_table']) {
    const { status, body } = await server.json<{ error: { name: string } }>('/ai/query/export', post({ sql }))
    expect([status, body.error.name]).toEqual([422, 'QueryFailed'])
  }
  const { body } = await server.json<object>('/ai/query/export', post({ sql: 'select 1', connection: 'shop' }))
  expect(JSON.stringify(body)).toContain('The database server cannot be reached')
  const { body: config } = await server.json<object>('/ai/config')
  expect(JSON.stringify([body, config])).not.toContain(password)
})

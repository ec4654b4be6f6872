import { contract, type Endpoint } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRoutes, type RouteServices } from '../boot/routes.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({
    config: { permissions: { allow: ['Bash(npm test)'], deny: ['Read(secret/**)', 'Nonsense('] } },
  })
  server.script('wait', [[{ call: { name: 'TestApproval', input: { message: 'x' } } }], [{ text: 'ok' }]])
  await server.chat('full', 'some words')
  await server.chat('full', 'wait')
  await server.json('/ai/sessions', { body: { id: 'empty', mode: 'plan' } })
})
afterAll(() => server.close())

/** The test server compares every answer with its schema, and answers 500 if they differ. */
it.each([
  ['/ai/models?all=1', 'models'],
  ['/ai/providers', 'providers'],
  ['/ai/rules', 'rules'],
  ['/ai/tools?schemas=1', 'tools'],
  ['/ai/rules?sessionId=full', 'rules'],
  ['/ai/sessions', 'sessions'],
  ['/ai/sessions?q=words', 'hits'],
  ['/ai/sessions/full', 'session'],
  ['/ai/sessions/full/messages', 'messages'],
  ['/ai/agents', 'agents'],
] as const)('%s returns exactly what its schema declares', async (target, field) => {
  const { status, body } = await server.json<Record<string, unknown[]>>(target)
  expect(status).toBe(200)
  expect(Object.keys(body[field] as object).length).toBeGreaterThan(0)
})

const needsQuery = [
  '/ai/complete',
  '/ai/mcp/callback',
  '/ai/skills/text',
  '/ai/agent-files',
  '/ai/files/content',
  '/ai/files/download',
  '/ai/documents',
  '/ai/documents/pages',
]
const endless = ['/ai/files/events']
/** For the page only. */
const refused = ['/ai/terminals']
const plainPaths = Object.entries(contract as Record<string, Endpoint>)
  .filter(([, { team, gives }]) => team !== true && gives?.includes('bytes') !== true)
  .map(([key]) => key)
  .filter((key) => key.startsWith('GET ') && !key.includes(':'))
  .map((key) => key.slice('GET '.length))
  .filter((path) => ![...needsQuery, ...endless, ...refused].includes(path))

it.each(plainPaths)('GET %s returns what its schema declares', async (path) => {
  const { status } = await server.json(path)
  expect(status).toBe(200)
})

it('the reference has these schemas', async () => {
  const { body } = await server.json<{ paths: Record<string, Record<string, { responses: Record<number, unknown> }>> }>(
    '/ai/openapi.json',
  )
  expect(body.paths['/ai/providers']?.['get']?.responses[200]).toMatchObject({
    description: '{providers}',
    content: { 'application/json': { schema: { type: 'object', required: ['providers'] } } },
  })
})

it('every endpoint declares the schema of its JSON answers', () => {
  const routes = createRoutes({} as RouteServices)
  expect(routes.length).toBeGreaterThan(100)
  const missing = routes.flatMap(({ method, path, answers, gives = ['json'] }) =>
    Object.entries(answers)
      .filter(([status, given]) => Number(status) < 300 && status !== '204' && typeof given === 'string')
      .filter(() => gives.includes('json'))
      .map(([status]) => `${method} ${path} ${status}`),
  )
  expect(missing).toEqual([])
})

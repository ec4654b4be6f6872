import {
  agentListSchema,
  branchPageSchema,
  modelListSchema,
  oneSessionSchema,
  providerListSchema,
  ruleListSchema,
  sessionPageSchema,
} from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

/** Parsing strips unknown fields, so a response with extra fields would differ. */
it.each([
  ['/ai/models?all=1', modelListSchema, 'models'],
  ['/ai/providers', providerListSchema, 'providers'],
  ['/ai/rules', ruleListSchema, 'rules'],
  ['/ai/rules?sessionId=full', ruleListSchema, 'rules'],
  ['/ai/sessions', sessionPageSchema, 'sessions'],
  ['/ai/sessions?q=words', sessionPageSchema, 'hits'],
  ['/ai/sessions/full', oneSessionSchema, 'session'],
  ['/ai/sessions/full/messages', branchPageSchema, 'messages'],
  ['/ai/agents', agentListSchema, 'agents'],
] as const)('%s answers what its schema says, and nothing else', async (target, schema, field) => {
  const { status, body } = await server.json<Record<string, unknown[]>>(target)
  expect(status).toBe(200)
  expect(Object.keys(body[field] as object).length).toBeGreaterThan(0)
  expect(schema.parse(body)).toEqual(body)
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

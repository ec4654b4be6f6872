import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { scriptedModel, type ScriptedModel, type ScriptTurn } from '@troupe/core/testing'
import type { StoredMessage, UsageInfo } from '@troupe/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

/** A model whose price is public, so that its calls cost something. */
const paid = 'openai/gpt-5.4'
const local = 'ollama/llama'

let home: string
const servers: TestServer[] = []
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-usage-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  rmSync(home, { recursive: true })
})

/** Each call of the model costs the same. */
async function open(options: TestServerOptions = {}): Promise<{ server: TestServer; model: ScriptedModel }> {
  const turn: ScriptTurn = [{ text: 'Done.' }, { finish: 'stop', usage: { inputTokens: 10_000, outputTokens: 1000 } }]
  const model = scriptedModel(() => turn)
  const models = { [paid]: model, [local]: scriptedModel(() => turn) }
  const server = await testServer({ home, ...options, models })
  servers.push(server)
  return { server, model }
}

const usage = async (server: TestServer, days = 7) => (await server.json<UsageInfo>(`/ai/usage?days=${days}`)).body
const ask = (server: TestServer, sessionId: string, model = paid) => server.chat(sessionId, 'hello', { model })
const lastError = (messages: StoredMessage[]) => messages.at(-1)?.metadata?.error

test('usage is counted by day, model and folder, and survives its chat and a restart', async () => {
  const { server } = await open()
  await ask(server, 's1')
  await ask(server, 's1')
  await ask(server, 's2', local)
  const first = await usage(server)
  expect(first.total).toMatchObject({ calls: 3, inputTokens: 30_000, outputTokens: 3000, unpricedTokens: 0 })
  expect(first.total.cost).toBeGreaterThan(0)
  expect(first.days).toHaveLength(1)
  expect(first.models.map(({ model, calls }) => [model, calls])).toEqual([
    [paid, 2],
    [local, 1],
  ])
  expect(first.folders).toHaveLength(1)
  await server.json('/ai/sessions/s1', { method: 'DELETE' })
  await server.close()
  servers.pop()
  const { server: again } = await open()
  expect((await usage(again)).total).toEqual(first.total)
})

test('a model without a known price is counted in tokens and named', async () => {
  const { server } = await open()
  await server.chat('s1', 'hello', { model: 'test/script' })
  const { models, total } = await usage(server)
  expect(models[0]).toMatchObject({ model: 'test/script', cost: 0 })
  expect(total.unpricedTokens).toBeGreaterThan(0)
})

test('a used up budget stops the next call, keeps the message, and lets it be answered after it is raised', async () => {
  const { server, model } = await open()
  await ask(server, 's1')
  const { cost } = (await usage(server)).total
  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: cost } } })
  await ask(server, 's1')
  expect(model.calls).toHaveLength(1)
  const stopped = await server.messages('s1')
  expect(stopped.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(lastError(stopped)).toMatchObject({ name: 'BudgetExceeded', data: { period: 'day', limit: cost } })
  expect((await usage(server)).budget).toEqual([{ period: 'day', limit: cost, spent: cost }])

  const free = await ask(server, 's2', local)
  expect(free.message.metadata?.error).toBeUndefined()
  const unknown = await server.chat('s3', 'hello', { model: 'test/script' })
  expect(unknown.message.metadata?.error?.message).toContain('The price of test/script is unknown')

  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: cost * 10 } } })
  const answered = stopped.at(-1)?.id
  const again = await server.request('/ai/chat', {
    body: { sessionId: 's1', trigger: 'regenerate-message', messageId: answered },
  })
  await again.text()
  expect(lastError(await server.messages('s1'))).toBeUndefined()
})

test('the month has its own budget, and a restart keeps what was spent', async () => {
  const { server } = await open()
  await ask(server, 's1')
  const { cost } = (await usage(server)).total
  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: cost * 100, month: cost } } })
  await server.close()
  servers.pop()
  const { server: again, model } = await open()
  await ask(again, 's2')
  expect(model.calls).toHaveLength(0)
  expect(lastError(await again.messages('s2'))).toMatchObject({ data: { period: 'month' } })
})

test('parallel runs cannot overshoot a budget by more than a call', async () => {
  const { server, model } = await open()
  await ask(server, 's0')
  const { cost } = (await usage(server)).total
  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: cost * 4 } } })
  await Promise.all(Array.from({ length: 30 }, (_, index) => ask(server, `p${index}`)))
  const { budget } = await usage(server)
  expect(budget[0]?.spent).toBeGreaterThanOrEqual(cost * 4 * 0.999)
  expect(budget[0]?.spent).toBeLessThanOrEqual(cost * 5.001)
  expect(model.calls.length).toBeLessThanOrEqual(5)
})

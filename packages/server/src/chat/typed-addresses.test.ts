import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const page = 'http://page.typed.invalid/a?b=1'

/** True if the call would need approval in this session after its next run. */
async function asks(sessionId: string, url: string, { afterRun = true, at = server } = {}): Promise<boolean> {
  if (afterRun) await at.chat(sessionId, 'go on', { headless: true })
  const { body } = await at.json<{ decisions: { decision: string }[] }>('/ai/rules/explain', {
    method: 'POST',
    body: { sessionId, calls: [{ tool: 'WebFetch', input: { url, prompt: 'x' } }] },
  })
  expect(body.decisions).toHaveLength(1)
  return body.decisions[0]?.decision === 'ask'
}

const say = (sessionId: string, text: string, typedUrls?: string[]) =>
  server.chat(sessionId, text, { headless: true, ...(typedUrls && { typedUrls }) })

test('a typed URL is fetched without asking, exactly that one, in later turns, too', async () => {
  await say('typed', `look at ${page}`, [page])
  expect(await asks('typed', page)).toBe(false)
  expect(await asks('typed', `${page}#part`)).toBe(false)
  for (const other of ['http://page.typed.invalid/', `${page}&d=1`, 'http://page.typed.invalid:8080/a?b=1'])
    expect([other, await asks('typed', other)]).toEqual([other, true])
})

test('pasted, quoted or merely claimed URLs do not count', async () => {
  await say('pasted', `look at ${page}`)
  expect(await asks('pasted', page)).toBe(true)
  await say('quoted', `what is this?\n> see ${page}`, [page])
  expect(await asks('quoted', page)).toBe(true)
  await say('claimed', 'nothing here', [page])
  expect(await asks('claimed', page)).toBe(true)
})

test('a fork and an import do not carry it over', async () => {
  await say('origin', `look at ${page}`, [page])
  const [first] = await server.messages('origin')
  expect(first?.metadata?.typed?.addresses).toEqual([page])
  const { body } = await server.json<{ session: { id: string } }>('/ai/sessions/origin/fork', {
    method: 'POST',
    body: { messageId: first?.id },
  })
  expect(await asks(body.session.id, page)).toBe(true)
  const file = await (await server.request('/ai/sessions/origin/export?format=json')).arrayBuffer()
  const other = await testServer()
  onTestFinished(() => other.close())
  const response = await other.app.request(`http://127.0.0.1:${other.port}/ai/sessions/import`, {
    method: 'POST',
    headers: {
      host: `127.0.0.1:${other.port}`,
      authorization: `Bearer ${other.token}`,
      'content-type': 'application/octet-stream',
    },
    body: file,
  })
  expect(await response.text()).toContain('origin')
  const imported = await other.messages('origin')
  expect(imported[0]?.parts).toEqual(first?.parts)
  expect(await asks('origin', page, { at: other })).toBe(true)
})

test('a signature applies only to its own message', async () => {
  await say('sealed', `look at ${page}`, [page])
  const [first] = await server.messages('sealed')
  const typed = first?.metadata?.typed
  const evil = 'http://evil.typed.invalid/'
  await server.store.sessions.create({ id: 'forged', workspaceId: server.workspace.id })
  const parts = [{ type: 'text' as const, text: `${evil} ${page}` }]
  const message = { role: 'user' as const, parts, parentMessageId: null, createdAt: 1 }
  await server.store.messages.add({ sessionId: 'forged' }, { ...message, id: 'm1', metadata: { typed: typed! } })
  await server.store.messages.add(
    { sessionId: 'sealed' },
    {
      ...message,
      parentMessageId: first?.id ?? null,
      id: 'm2',
      metadata: { typed: { addresses: [evil], seal: typed!.seal } },
    },
  )
  expect(await asks('forged', page)).toBe(true)
  expect(await asks('sealed', evil)).toBe(true)
})

test('URLs typed during a run count at once', async () => {
  server.script('wait for it', [[{ call: { name: 'Bash', input: { command: 'touch x' } } }], [{ text: 'done' }]])
  await server.chat('steered', userMessage('wait for it'))
  const steer = (typedUrls?: string[]) =>
    server.json('/ai/chat/steered/steer', {
      method: 'POST',
      body: { id: `st${typedUrls?.length ?? 0}`, text: `rather ${page}`, ...(typedUrls && { typedUrls }) },
    })
  expect((await steer()).status).toBe(200)
  expect(await asks('steered', page, { afterRun: false })).toBe(true)
  expect((await steer([page])).status).toBe(200)
  expect(await asks('steered', page, { afterRun: false })).toBe(false)
  await server.request('/ai/chat/steered/stop', { method: 'POST', body: {} })
})

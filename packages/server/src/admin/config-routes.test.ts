import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const key = 'search-key-that-nobody-sees-0001'
let server: TestServer
beforeAll(async () => {
  server = await testServer({
    env: { TROUPE_MODEL: 'test/script' },
    config: {
      theme: 'mine',
      limits: { steps: 9, colour: 'red' },
      search: { provider: 'brave', apiKey: key },
      providers: { acme: { baseURL: 'http://127.0.0.1:1/v1', models: ['large-1'] } },
    },
  })
})
afterAll(() => server.close())

const file = () =>
  JSON.parse(readFileSync(path.join(server.homePath, 'config.json'), 'utf8')) as Record<string, unknown>
const change = (body: object) => server.json<Answer>('/ai/config', { method: 'PATCH', body })
interface Answer {
  config: Record<string, unknown>
  dropped?: string[]
  error?: { name: string; message: string }
}

test('the settings are returned without keys', async () => {
  const { body } = await server.json<Answer>('/ai/config')
  expect(body.config).toEqual({
    model: null,
    environmentModel: 'test/script',
    mode: null,
    useTools: null,
    recovery: 'continue',
    titles: 'model',
    describeImages: 'ask',
    limits: { steps: 9, tokens: null, seconds: null },
    budget: { day: null, month: null },
    media: { image: null, video: null, transcription: null, vision: null, speech: null, voice: null },
    browser: { path: null, allow: null },
    search: { provider: 'brave', baseURL: null, hasKey: true },
  })
  expect(JSON.stringify(body)).not.toContain(key)
})

test('a change keeps other settings and takes effect, and null removes a setting', async () => {
  const { status, body } = await change({
    model: 'acme/large-1',
    useTools: ['Read', 'Grep'],
    recovery: 'wait',
    limits: { steps: null, seconds: 60 },
    media: { image: 'acme/painter' },
    browser: { allow: ['localhost:5173'] },
  })
  expect(status).toBe(200)
  expect(body.config).toMatchObject({ recovery: 'wait', limits: { steps: null, tokens: null, seconds: 60 } })
  expect(file()).toMatchObject({
    theme: 'mine',
    model: 'acme/large-1',
    useTools: ['Read', 'Grep'],
    recovery: 'wait',
    limits: { seconds: 60, colour: 'red' },
    media: { image: 'acme/painter' },
    browser: { allow: ['localhost:5173'] },
    search: { provider: 'brave', apiKey: key },
  })
  const { body: moved } = await change({ browser: { path: '/opt/chromium' } })
  expect(moved.config['browser']).toEqual({ path: '/opt/chromium', allow: ['localhost:5173'] })
  const { body: listed } = await server.json<{ tools: { name: string; status: string }[] }>('/ai/tools')
  expect(listed.tools.filter(({ status: is }) => is === 'enable').map(({ name }) => name)).toEqual(['Grep', 'Read'])
  await change({ model: null, useTools: null, recovery: null, limits: null, media: null, browser: null })
  const kept = Object.keys(file()).toSorted()
  expect(kept).toEqual(['providers', 'search', 'theme'])
})

test('a search provider is changed; its key is never sent to another', async () => {
  await change({ search: { baseURL: 'https://search.example/v1', apiKey: key } })
  expect(file()['search']).toEqual({ provider: 'brave', apiKey: key, baseURL: 'https://search.example/v1' })
  await change({ search: { provider: 'searxng', baseURL: 'http://127.0.0.1:8888' } })
  expect(file()['search']).toEqual({ provider: 'searxng', baseURL: 'http://127.0.0.1:8888' })
})

test('a search key stays with its server, and a dropped key is reported', async () => {
  const held = async (search: object) => {
    const { body } = await change({ search })
    return { dropped: body.dropped, held: (file()['search'] as { apiKey?: string }).apiKey }
  }
  expect(await held({ apiKey: key })).toEqual({ dropped: [], held: key })
  expect(await held({ baseURL: 'http://127.0.0.1:8888/below' })).toEqual({ dropped: [], held: key })
  for (const baseURL of ['http://127.0.0.1:8889', 'https://127.0.0.1:8888', 'http://search.example:8888', null]) {
    await change({ search: { baseURL: 'http://127.0.0.1:8888', apiKey: key } })
    expect(await held({ baseURL })).toEqual({ dropped: ['apiKey'], held: undefined })
  }
  expect(await held({ baseURL: 'https://search.example', apiKey: 'another' })).toEqual({ dropped: [], held: 'another' })
  await change({ search: null })
  expect(file()).not.toHaveProperty('search')
})

test.each([
  ['a model that nobody serves', { model: 'nobody/none' }, 404, 'nobody'],
  ['a limit below one', { limits: { steps: 0 } }, 400, 'limits.steps'],
  ['a key that it does not know', { providers: {} }, 400, 'providers'],
  ['an address that is none', { search: { provider: 'searxng', baseURL: 'file:///etc/passwd' } }, 400, 'baseURL'],
  ['a search without a provider', { search: { apiKey: 'x' } }, 400, 'provider'],
])('%s is rejected and nothing is written', async (_, body, status, said) => {
  const before = file()
  const answer = await change(body)
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(said)])
  expect(file()).toEqual(before)
})

test('the mode of new chats can be set, but not to one that the server does not allow', async () => {
  const { body } = await change({ mode: 'plan' })
  expect(body.config).toMatchObject({ mode: 'plan' })
  expect(file()).toMatchObject({ permissions: { mode: 'plan' } })
  await server.chat('s_mode', 'hello')
  const { body: stored } = await server.json<{ session: { mode: string } }>('/ai/sessions/s_mode')
  expect(stored.session.mode).toBe('plan')
  expect((await change({ mode: 'bypass' })).body.error?.name).toBe('BypassNotAllowed')
  expect((await change({ mode: 'free' })).body.error?.name).toBe('UnknownMode')
  await change({ mode: null })
  expect(file()['permissions']).toEqual({})
})

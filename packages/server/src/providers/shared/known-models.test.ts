import { expect, it } from 'vitest'
import { createModels } from '../../models/models.ts'
import { knownModel } from './known-models.ts'

const models = createModels({ settings: () => ({}), env: {}, defaultModel: () => undefined, probe: false })

it('every available chat model has a context window, except those without public data', async () => {
  const listed = (await models.listModels({ all: true })).filter(({ provider }) => provider !== 'demo')
  expect(listed.length).toBeGreaterThan(60)
  const unknown = listed.filter(({ contextWindow }) => contextWindow === undefined).map(({ ref }) => ref)
  expect(unknown).toEqual(['anthropic/claude-fable-5-2', 'google/gemini-4-carbon'])
  expect(listed.filter(({ price }) => price === undefined).length).toBeLessThanOrEqual(16)
})

it.each([
  ['gpt-4o-mini', 128_000],
  ['openai/gpt-4o-mini', 128_000],
  ['gpt-4o-2024-08-06', 128_000],
  ['anthropic/claude-sonnet-5.5', 1_000_000],
  ['claude-haiku-4-5-20251001', 200_000],
  ['openai/gpt-4o-mini:free', 128_000],
  ['GPT-4o-Mini', 128_000],
  ['openrouter/openai/gpt-4o-mini-2024-07-18', 128_000],
  ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 200_000],
  ['claude-haiku-4-5@20251001', 200_000],
  ['llama3.1:8b', 128_000],
  ['meta-llama/Llama-3.1-8B-Instruct', 131_072],
  ['llama3.1:8b-instruct-q4_K_M', 128_000],
])('%s is recognized at any endpoint', (id, window) => {
  expect(knownModel(id)?.contextWindow).toBe(window)
})

it.each(['', ':', '/', 'x'.repeat(10_000), 'gpt-4o-mini-and-more', '@20240101'])(
  'an id that only resembles a known one has no facts: %j',
  (id) => {
    expect(knownModel(id)).toBeUndefined()
  },
)

it('a free variant costs nothing', () => {
  expect(knownModel('openai/gpt-4o-mini')?.price?.output).toBeGreaterThan(0)
  expect(knownModel('openai/gpt-4o-mini:free')?.price).toEqual({ input: 0, output: 0 })
})

it('a typed model at a custom endpoint has its facts; local models have no price', async () => {
  const own = createModels({
    settings: () => ({ mine: { baseURL: 'http://127.0.0.1:9/v1' } }),
    env: {},
    defaultModel: () => undefined,
    probe: false,
  })
  const { definition } = await own.resolveChatModel('mine/gpt-4o-mini')
  expect(definition).toMatchObject({
    contextWindow: 128_000,
    tags: ['chat', 'tools', 'vision', 'pdf'],
    price: { input: 0.15, output: 0.6, cachedInput: 0.075 },
  })
  expect(definition.guessed).toBeUndefined()
  expect((await own.resolveChatModel('ollama/gpt-4o-mini')).definition.price).toBeUndefined()
  expect((await own.resolveChatModel('mine/nobody-knows-it')).definition.guessed).toBe(true)
})

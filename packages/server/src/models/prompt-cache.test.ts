import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPromptCache } from '../testing/prompt-cache.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'
import type { WireTurn } from '../testing/wire-formats/wire-turn.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

let server: TestServer
let wire: WireServer
beforeAll(async () => {
  wire = await wireServer()
  const ids: WireProvider[] = ['anthropic', 'qwen', 'vercel', 'custom']
  const entries = ids.map((id) => [id, { baseURL: wire.baseURL(id), apiKey: 'key-0123456789' }])
  server = await testServer({ config: { providers: Object.fromEntries(entries) as object } })
})
beforeEach(() => wire.clear())
afterAll(async () => {
  await server.close()
  await wire.close()
})

/** Simulates a provider's prompt cache: the request's content determines its cost. */
function charged(...turns: WireTurn[]): { play: { turn: (body: unknown) => WireTurn }[]; usage: Usage[] } {
  const count = createPromptCache()
  const usage: Usage[] = []
  const play = turns.map((turn) => ({
    turn(body: unknown): WireTurn {
      const counted = count(body)
      usage.push(counted)
      return { ...turn, usage: { ...counted, output: 50, reasoning: 0 } }
    },
  }))
  return { play, usage }
}

type Usage = ReturnType<ReturnType<typeof createPromptCache>>

const todo = (step: number, id = 'call'): NonNullable<WireTurn['calls']>[number] => ({
  id: `${id}_${step}`,
  name: 'TodoWrite',
  input: { todos: [{ content: `step ${step} ${'of a longer plan '.repeat(20)}`, status: 'pending', activeForm: 'x' }] },
})

describe('the prompt cache of Anthropic', () => {
  it('contains at least 85 % of the input of a run of ten steps, and of the next turn', async () => {
    const steps = Array.from({ length: 9 }, (_, step): WireTurn => ({ text: `Step ${step}.`, calls: [todo(step)] }))
    const { play, usage } = charged(...steps, { text: 'Done.' }, { text: 'You are welcome.' })
    wire.play(...play)
    const { message } = await server.chat('ten', 'Do it in ten steps.', { model: 'anthropic/claude-sonnet-5-5' })
    const ten = { ...message.metadata!.usage! }
    expect(wire.requests).toHaveLength(10)
    const total = usage.reduce((sum, { input }) => sum + input, 0)
    const cached = usage.reduce((sum, one) => sum + one.cached, 0)
    expect(ten).toMatchObject({ inputTokens: total, cachedInputTokens: cached })
    expect(cached / total).toBeGreaterThan(0.85)
    for (const [step, { input, cached: read }] of usage.entries())
      if (step > 0) expect(read / input).toBeGreaterThan(0.9)
    await server.chat('ten', 'Thank you.')
    expect(usage.at(-1)!.cached / usage.at(-1)!.input).toBeGreaterThan(0.9)
  })

  it('is found again after a step of many calls', async () => {
    const many = Array.from({ length: 30 }, (_, at) => todo(at, 'many'))
    const { play, usage } = charged({ calls: [todo(0)] }, { calls: many }, { text: 'Done.' })
    wire.play(...play)
    await server.chat('many', 'Do a lot at once.', { model: 'anthropic/claude-sonnet-5-5' })
    expect(usage[2]!.cached).toBeGreaterThanOrEqual(usage[1]!.input - 1)
  })

  it('serves other sessions with the same tools and instructions', async () => {
    const { play, usage } = charged({ text: 'One.' }, { text: 'Two.' })
    wire.play(...play)
    await server.chat('first', 'One?', { model: 'anthropic/claude-sonnet-5-5' })
    await server.chat('second', 'Two?', { model: 'anthropic/claude-sonnet-5-5' })
    expect(usage[1]!.cached / usage[1]!.input).toBeGreaterThan(0.9)
  })
})

describe('marks for the cache', () => {
  it.each([
    ['anthropic/claude-sonnet-5-5', 4],
    ['qwen/qwen3.7-max', 3],
    ['vercel/anthropic/claude-sonnet-5.5', 4],
    ['custom/anthropic/claude-sonnet-5.5', 3],
    ['custom/some-model', 0],
    ['vercel/zai/glm-5.3', 0],
  ])('%s is sent %i', async (model, count) => {
    wire.play({ turn: { calls: [todo(1)] } }, { turn: { text: 'Done.' } })
    await server.chat(`marks-${model.replaceAll(/\W/g, '-')}`, 'go', { model })
    const sent = JSON.stringify(wire.requests.at(-1)!.body)
    expect(sent.match(/"cache_?[cC]ontrol":\{"type":"ephemeral"\}/g) ?? []).toHaveLength(count)
  })
})

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { modelParams, type Param, type ParamValue, type ParamValues } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'
import { callSettings } from './call-settings.ts'
import { createModels } from './models.ts'

let wire: WireServer
beforeAll(async () => {
  wire = await wireServer()
})
beforeEach(() => wire.clear())
afterAll(() => wire.close())

/** Model, settings, and the expected content of the provider request. */
const arriving: [WireProvider, string, ParamValues, object][] = [
  [
    'openai',
    'gpt-4.1',
    { temperature: 0.3, topP: 0.9, maxOutputTokens: 900 },
    { temperature: 0.3, top_p: 0.9, max_output_tokens: 900 },
  ],
  [
    'openai',
    'gpt-6-sol',
    { reasoning: 'high', verbosity: 'low' },
    { reasoning: { effort: 'high' }, text: { verbosity: 'low' } },
  ],
  [
    'anthropic',
    'claude-haiku-4-5',
    { temperature: 0.3, stopSequences: ['END'] },
    { temperature: 0.3, stop_sequences: ['END'] },
  ],
  [
    'anthropic',
    'claude-opus-5',
    { maxOutputTokens: 900, reasoning: 'low' },
    { max_tokens: 900, output_config: { effort: 'low' } },
  ],
  [
    'google',
    'gemini-2.5-flash',
    { temperature: 1.5, topK: 20, seed: 7, stopSequences: ['END'], maxOutputTokens: 900 },
    { generationConfig: { temperature: 1.5, topK: 20, seed: 7, stopSequences: ['END'], maxOutputTokens: 900 } },
  ],
  ['xai', 'grok-4.7', { temperature: 0.3, reasoning: 'low' }, { temperature: 0.3, reasoning: { effort: 'low' } }],
  [
    'deepseek',
    'deepseek-v4-pro',
    { reasoning: 'none', stopSequences: ['END'] },
    { thinking: { type: 'disabled' }, stop: ['END'] },
  ],
  ['moonshot', 'kimi-k3', { maxOutputTokens: 900 }, { max_completion_tokens: 900 }],
  [
    'qwen',
    'qwen-plus',
    { temperature: 0.3, topK: 20, reasoning: 'none' },
    { temperature: 0.3, top_k: 20, enable_thinking: false },
  ],
  [
    'custom',
    'any-1',
    { temperature: 0.3, frequencyPenalty: 0.5, seed: 7, stopSequences: ['END'], reasoning: 'low' },
    { temperature: 0.3, frequency_penalty: 0.5, seed: 7, stop: ['END'], reasoning_effort: 'low' },
  ],
  ['vercel', 'zai/glm-5.3', { temperature: 0.3, seed: 7 }, { temperature: 0.3, seed: 7 }],
]

describe.each(arriving)('%s/%s', (provider, name, values, expected) => {
  test('settings are sent to the provider, and nothing if none are set', async () => {
    const settings = { [provider]: { baseURL: wire.baseURL(provider), apiKey: 'k-0123456789' } }
    const models = createModels({ settings: () => settings, env: {}, defaultModel: () => undefined, probe: false })
    const { model, definition } = await models.resolveChatModel(`${provider}/${name}`)
    const known = modelParams(definition).map((param) => param.name)
    expect(known).toEqual(expect.arrayContaining(Object.keys(values)))
    for (const given of [values, {}]) {
      wire.play({ turn: { text: 'ok' } })
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
      const { stream } = await model.doStream({ prompt, ...callSettings(definition, given) })
      await Array.fromAsync(stream)
    }
    const [set, plain] = wire.requests.map(({ body }) => body)
    expect(set).toMatchObject(expected)
    const told = ({ generationConfig, ...body }: Record<string, unknown>) => ({
      ...body,
      ...(generationConfig as object),
    })
    expect(told(plain as Record<string, unknown>)).not.toHaveProperty('temperature')
  })
})

const wired = ['openai', 'anthropic', 'google', 'xai', 'deepseek', 'moonshot', 'qwen'] as const

test.each(wired)('every setting that a model of %s lists makes another request', async (provider) => {
  const settings = { [provider]: { baseURL: wire.baseURL(provider), apiKey: 'k-0123456789' } }
  const models = createModels({ settings: () => settings, env: {}, defaultModel: () => undefined, probe: false })
  const listed = (await models.listModels()).filter(
    (model) => model.provider === provider && model.tags.includes('chat'),
  )
  const ask = async (ref: string, values: ParamValues): Promise<string> => {
    const { model, definition } = await models.resolveChatModel(ref)
    wire.play({ turn: { text: 'ok' } })
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
    const { stream } = await model.doStream({ prompt, ...callSettings(definition, values) })
    await Array.fromAsync(stream)
    return JSON.stringify(wire.requests.at(-1)?.body)
  }
  const without: string[] = []
  for (const model of listed) {
    const params = modelParams(model)
    const unthinking = params.some((param) => param.type === 'choice' && param.options.includes('none'))
    for (const param of params) {
      // Some models accept sampling settings only without reasoning.
      const rest: ParamValues = unthinking && param.name !== 'reasoning' ? { reasoning: 'none' } : {}
      for (const value of valuesOf(param))
        if ((await ask(model.ref, { ...rest, [param.name]: value })) === (await ask(model.ref, rest)))
          without.push(`${model.ref} ${param.name} ${String(value)}`)
    }
  }
  expect(without).toEqual([])
})

function valuesOf(param: Param): ParamValue[] {
  if (param.type === 'choice') return param.options
  if (param.type === 'texts') return [['END']]
  if (param.type === 'switch') return [true]
  return [param.type === 'integer' ? Math.min(param.max, 1234) : (param.min + param.max) / 3]
}

describe('settings of a session', () => {
  let server: TestServer
  beforeAll(async () => {
    const acme = {
      type: 'openai-compatible',
      baseURL: wire.baseURL('custom'),
      apiKey: 'k-0123456789',
      models: [
        'large-1',
        {
          id: 'odd-1',
          capabilities: { params: [{ name: 'min_p', type: 'number', min: 0, max: 1 }, { strange: true }] },
        },
      ],
    }
    server = await testServer({ config: { providers: { acme } } })
    mkdirSync(path.join(server.homePath, 'agents'), { recursive: true })
    const agent = '---\ndescription: Calm.\nparams: { temperature: 0.1, seed: 3, pace: slow }\n---\nYou are calm.\n'
    writeFileSync(path.join(server.homePath, 'agents', 'calm.md'), agent)
  })
  afterAll(() => server.close())

  const model = 'acme/large-1'
  const say = async (session: string, more: object): Promise<Record<string, unknown>> => {
    wire.play({ turn: { text: 'ok' } })
    const { status } = await server.chat(session, `message ${wire.requests.length}`, more)
    expect(status).toBe(200)
    return wire.requests.at(-1)?.body as Record<string, unknown>
  }

  test('are set with a message, stored, shown, changed and reset', async () => {
    expect(await say('s', { model, params: { temperature: 0.2, seed: 5 } })).toMatchObject({
      temperature: 0.2,
      seed: 5,
    })
    expect(await say('s', {})).toMatchObject({ temperature: 0.2, seed: 5 })
    const { body } = await server.json<{ session: object }>('/ai/sessions/s')
    expect(body.session).toMatchObject({ params: { temperature: 0.2, seed: 5 } })
    const patched = await server.json('/ai/sessions/s', { method: 'PATCH', body: { params: { topP: 0.5 } } })
    expect(patched.body).toMatchObject({ session: { params: { topP: 0.5 } } })
    const changed = await say('s', {})
    expect(changed).toMatchObject({ top_p: 0.5 })
    expect(changed).not.toHaveProperty('temperature')
    const reset = await server.json('/ai/sessions/s', { method: 'PATCH', body: { params: {} } })
    expect(reset.body).not.toMatchObject({ session: { params: expect.anything() as unknown } })
    expect(await say('s', {})).not.toHaveProperty('top_p')
  })

  test('that the model does not support are rejected by name, and nothing is stored', async () => {
    const before = server.written()
    const params = { temperature: 9, colour: 'red', seed: 1.5, stopSequences: 'x' }
    const refused = await server.chat('refused', 'hello', { model, params })
    expect(refused).toMatchObject({ status: 422, error: { name: 'BadParams' } })
    expect(refused.error?.data['problems']).toEqual([
      { name: 'temperature', message: 'Temperature must be between 0 and 2' },
      { name: 'colour', message: 'large-1 has no setting "colour"' },
      { name: 'seed', message: 'Seed must be a whole number' },
      { name: 'stopSequences', message: 'Stop sequences must be a list of strings' },
    ])
    expect(server.written()).toEqual(before)
    const created = await server.json('/ai/sessions', { body: { id: 'refused', model, params } })
    expect(created).toMatchObject({ status: 422, body: { error: { name: 'BadParams' } } })
  })

  test('of an agent apply if the user set none, and unsupported ones are ignored', async () => {
    const calm = await say('calm', { model, agent: 'calm', params: { seed: 4 } })
    expect(calm).toMatchObject({ temperature: 0.1, seed: 4 })
    expect(calm).not.toHaveProperty('pace')
  })

  test('of a model are those in its definition; unknown names are sent unchanged', async () => {
    const { body } = await server.json<{ models: { ref: string; capabilities?: { params?: unknown } }[] }>('/ai/models')
    const odd = body.models.find(({ ref }) => ref === 'acme/odd-1')
    expect(modelParams(odd).map(({ name }) => name)).toEqual(['min_p'])
    expect(await say('odd', { model: 'acme/odd-1', params: { min_p: 0.1 } })).toMatchObject({ min_p: 0.1 })
    expect(await say('odd', { model })).not.toHaveProperty('min_p')
  })
})

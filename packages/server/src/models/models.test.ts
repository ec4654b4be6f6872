import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { modelParams } from '@troupe/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ProviderSettings } from '../providers/shared/provider.ts'
import { wireServer, type WireServer } from '../testing/wire-server.ts'
import { createModels, type Models, type ModelsOptions } from './models.ts'

const canary = 'canary-key-0123456789'

let server: WireServer
let folder: string
beforeAll(async () => {
  server = await wireServer()
})
beforeEach(async () => {
  server.clear()
  folder = await mkdtemp(path.join(tmpdir(), 'troupe-models-'))
})
afterEach(() => rm(folder, { recursive: true }))
afterAll(() => server.close())

function models(options: Partial<ModelsOptions> & { providers?: Record<string, ProviderSettings> } = {}): Models {
  const { providers = {}, ...rest } = options
  return createModels({ settings: () => providers, env: {}, defaultModel: () => undefined, probe: false, ...rest })
}

describe('which model a request gets', () => {
  test('the named one, with its facts', async () => {
    const resolved = await models({ env: { ANTHROPIC_API_KEY: canary } }).resolveChatModel('anthropic/claude-haiku-4-5')
    expect(resolved.id).toBe('anthropic/claude-haiku-4-5')
    expect(resolved.model.modelId).toBe('claude-haiku-4-5')
    expect(resolved.definition).toMatchObject({ provider: 'anthropic', familyId: 'Claude', contextWindow: 200_000 })
  })

  test('a model that came out this week needs no release of ours', async () => {
    const resolved = await models({ env: { OPENAI_API_KEY: canary } }).resolveChatModel('openai/gpt-99')
    expect(resolved.definition).toMatchObject({
      id: 'gpt-99',
      name: 'gpt-99',
      provider: 'openai',
      familyId: 'OpenAI',
      tags: ['chat'],
    })
    expect(modelParams(resolved.definition).map(({ name }) => name)).toContain('reasoning')
  })

  test('an id can contain slashes', async () => {
    const resolved = await models({ env: { AI_GATEWAY_API_KEY: canary } }).resolveChatModel('vercel/zai/glm-5.3')
    expect(resolved).toMatchObject({
      id: 'vercel/zai/glm-5.3',
      model: { modelId: 'zai/glm-5.3' },
      definition: { familyId: 'ChatGLM' },
    })
  })

  test('a bare model id finds the usable provider that lists it, a bare provider its first model', async () => {
    const both = models({ env: { OPENAI_API_KEY: canary, XAI_API_KEY: canary } })
    expect((await both.resolveChatModel('grok-4.7')).id).toBe('xai/grok-4.7')
    expect((await both.resolveChatModel('openai')).id).toBe('openai/gpt-6-sol')
  })

  test('without a name: the configured default, then a key in the settings, then one in the environment, then the demo', async () => {
    const env = { OPENAI_API_KEY: canary }
    const providers = { xai: { apiKey: canary } }
    expect((await models({ env, providers, defaultModel: () => 'openai/gpt-5' }).resolveChatModel()).id).toBe(
      'openai/gpt-5',
    )
    expect((await models({ env, providers }).resolveChatModel()).id).toBe('xai/grok-4.7')
    expect((await models({ env }).resolveChatModel()).id).toBe('openai/gpt-6-sol')
    expect((await models().resolveChatModel()).id).toBe('demo/tour')
  })

  test('a provider that only the settings know works under its own name, with any adapter', async () => {
    const providers: Record<string, ProviderSettings> = {
      acme: { type: 'openai-compatible', baseURL: server.baseURL('custom'), apiKey: canary, models: ['large-1'] },
      'claude-proxy': { type: 'anthropic', baseURL: server.baseURL('anthropic'), apiKey: canary },
    }
    expect(await models({ providers }).resolveChatModel()).toMatchObject({
      id: 'acme/large-1',
      model: { provider: 'acme.chat' },
    })
    const proxied = await models({ providers }).resolveChatModel('claude-proxy/claude-opus-5')
    server.play({ turn: { text: 'hello' } })
    const { stream } = await proxied.model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    })
    for await (const part of stream) if (part.type === 'error') throw part.error
    expect(server.requests[0]).toMatchObject({ provider: 'anthropic', headers: { 'x-api-key': canary } })
  })

  test('changed settings take effect at once', async () => {
    const providers: Record<string, ProviderSettings> = {}
    const live = models({ providers })
    await expect(live.resolveChatModel('deepseek/deepseek-flash')).rejects.toThrow('has no API key')
    providers['deepseek'] = { apiKey: 'first-key-0123456789', baseURL: server.baseURL('deepseek') }
    const ask = async () => {
      server.play({ turn: { text: 'ok' } })
      const { model } = await live.resolveChatModel('deepseek/deepseek-flash')
      const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] })
      for await (const part of stream) if (part.type === 'error') throw part.error
      return server.requests.at(-1)?.headers.authorization
    }
    expect(await ask()).toBe('Bearer first-key-0123456789')
    providers['deepseek'] = { apiKey: 'second-key-0123456789', baseURL: server.baseURL('deepseek') }
    expect(await ask()).toBe('Bearer second-key-0123456789')
  })
})

describe('an error names the missing setting', () => {
  test('a provider without a key names its variable and the settings', async () => {
    await expect(models().resolveChatModel('google/gemini-2.5-pro')).rejects.toMatchObject({
      name: 'ProviderNotConfigured',
      message: expect.stringMatching(/Settings > Models and keys.*GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY/),
      data: { provider: 'google', env: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'] },
    })
  })

  test.each([
    ['acme/large-1', 'ProviderNotFound', 'Add it in Settings'],
    ['anthropik/claude-opus-5', 'ProviderNotFound', 'Did you mean anthropic?'],
    ['custom/x', 'ProviderNotConfigured', 'OPENAI_COMPATIBLE_BASE_URL'],
    ['codex-cli/gpt-5.3-codex', 'ProviderNotConfigured', 'npm install ai-sdk-provider-codex-cli'],
    ['demo/other', 'ModelNotFound', 'demo/tour'],
    ['gpt-5.5', 'ModelNotFound', 'There is no model'],
  ])('%s', async (id, name, text) => {
    await expect(models().resolveChatModel(id)).rejects.toMatchObject({ name, message: expect.stringContaining(text) })
  })

  test('a list in the settings limits the models; others can be typed', async () => {
    const providers = { openai: { apiKey: canary, models: ['gpt-5.5', 'gpt-5.4-mini'] } }
    const listed = (await models({ providers }).listModels()).filter(({ provider }) => provider === 'openai')
    expect(listed.map(({ id }) => id)).toEqual(['gpt-5.5', 'gpt-5.4-mini'])
    expect((await models({ providers }).resolveChatModel('openai/gpt-5.4')).id).toBe('openai/gpt-5.4')
  })

  test('other models of the provider are available after a test', async () => {
    const listing = (() =>
      Promise.resolve(
        Response.json({ data: [{ id: 'claude-new-9', context_length: 300_000 }, { id: 'claude-opus-5-5' }] }),
      )) as typeof fetch
    const opened = models({ providers: { anthropic: { apiKey: canary } }, fetch: listing })
    expect(await opened.testProvider('anthropic')).toMatchObject({ ok: true, how: 'list' })
    const found = (await opened.listModels()).filter(({ provider }) => provider === 'anthropic')
    expect(found[0]?.id).toBe('claude-sonnet-5-5')
    expect(found.filter(({ id }) => id === 'claude-opus-5-5')).toHaveLength(1)
    expect(found.find(({ id }) => id === 'claude-new-9')?.contextWindow).toBe(300_000)
  })

  test('an adapter that does not exist, and a provider that is switched off', async () => {
    const providers = {
      acme: { type: 'telepathy', baseURL: 'http://127.0.0.1:9' },
      openai: { apiKey: canary, enabled: false },
    }
    await expect(models({ providers }).resolveChatModel('acme/x')).rejects.toThrow(
      '"telepathy", which does not exist. Available adapters: alibaba, anthropic',
    )
    await expect(models({ providers }).resolveChatModel('openai/gpt-5')).rejects.toThrow('turned off')
    expect((await models({ providers }).resolveChatModel()).id).toBe('demo/tour')
  })

  test('no provider at all', async () => {
    await expect(models({ folders: [folder] }).resolveChatModel()).rejects.toMatchObject({
      name: 'ModelsUnavailable',
      status: 503,
    })
  })
})

describe('the folder is the registry', () => {
  test('every built-in file loads', () => {
    const all = models()
    expect(all.problems()).toEqual([])
    expect(all.getProviderDefinition('qwen')).toMatchObject({ id: 'qwen', adapter: 'alibaba' })
    expect(all.getModelDefinition('moonshot', 'kimi-k3')).toMatchObject({ name: 'Kimi K3', contextWindow: 1_048_576 })
    expect(all.getModelDefinition('moonshot', 'kimi-k0')).toBeUndefined()
    expect(all.getProviderDefinition('nobody')).toBeUndefined()
    expect(all.getProviderDefinition('__proto__')).toBeUndefined()
  })

  test('a bad file is named and the rest still loads', async () => {
    await writeFile(
      path.join(folder, 'good.js'),
      "export default { name: 'Good', adapter: 'good', familyId: 'OpenAI', env: [], needsKey: false, models: [{ id: 'one' }], create: async () => () => ({}) }",
    )
    await writeFile(path.join(folder, 'throws.js'), "throw new Error('not today')")
    await writeFile(path.join(folder, 'shape.js'), "export default { name: 'Shape' }")
    await writeFile(
      path.join(folder, 'renamed.js'),
      (await readFile(path.join(folder, 'good.js'), 'utf8')).replace('{ name', "{ id: 'other', name"),
    )
    const logged: string[] = []
    const some = models({ folders: [folder], log: (message) => logged.push(message) })
    expect(await some.listModels()).toMatchObject([{ ref: 'good/one', familyId: 'OpenAI', tags: ['chat'] }])
    expect(some.problems().map(({ path: file }) => path.basename(file))).toEqual([
      'renamed.js',
      'shape.js',
      'throws.js',
    ])
    expect(logged.join('\n')).toMatch(/throws\.js: not today/)
  })

  test('no SDK is loaded before it is used', async () => {
    const source = await Promise.all(
      ['openai', 'anthropic', 'google', 'vercel'].map((id) =>
        readFile(path.join(import.meta.dirname, `../providers/${id}.ts`), 'utf8'),
      ),
    )
    for (const text of source) expect(text).not.toMatch(/^import (?!type).*@ai-sdk/m)
  })

  test('the catalog has only ids that the installed SDKs know', async () => {
    const packages = {
      openai: 'openai',
      anthropic: 'anthropic',
      google: 'google',
      deepseek: 'deepseek',
      moonshot: 'moonshotai',
      qwen: 'alibaba',
      xai: 'xai',
      vercel: 'gateway',
      'codex-cli': 'openai',
    }
    const require = createRequire(import.meta.url)
    for (const [id, name] of Object.entries(packages)) {
      const types = await readFile(require.resolve(`@ai-sdk/${name}`).replace(/\.c?js$/, '.d.ts'), 'utf8')
      const listed = models().getProviderDefinition(id)?.models ?? []
      expect(listed.length).toBeGreaterThan(0)
      for (const model of listed) expect(types, `${id}/${model.id}`).toContain(`'${model.id}'`)
    }
  })
})

describe('lists', () => {
  test('models of usable providers, all on request; the user’s own settings for a model win', async () => {
    const providers: Record<string, ProviderSettings> = {
      openai: {
        apiKey: canary,
        models: [
          'gpt-5',
          { id: 'gpt-5.5', name: 'Mine', tags: ['chat', 'mine'], capabilities: { params: { depth: 3 } } },
        ],
      },
    }
    const listed = await models({ providers }).listModels()
    expect(listed.filter((model) => model.provider === 'openai')).toMatchObject([
      { ref: 'openai/gpt-5', contextWindow: 400_000, usable: true },
      {
        ref: 'openai/gpt-5.5',
        name: 'Mine',
        tags: ['chat', 'mine'],
        capabilities: { params: { depth: 3 } },
        contextWindow: 1_050_000,
      },
    ])
    expect(listed.some((model) => model.provider === 'xai')).toBe(false)
    const all = await models({ providers }).listModels({ all: true })
    expect(all.find((model) => model.ref === 'xai/grok-4.7')).toMatchObject({ usable: false, providerName: 'xAI' })
  })

  test('providers show the source of their key and never the key', async () => {
    const env = { MOONSHOT_API_KEY: canary, GEMINI_API_KEY: canary, ACME_API_KEY: canary }
    const providers: Record<string, ProviderSettings> = {
      openai: { apiKey: `settings-${canary}`, headers: { 'x-auth': canary } },
      acme: { baseURL: `http://user:${canary}@127.0.0.1:9/v1` },
    }
    const listed = await models({ env, providers }).listProviders()
    expect(Object.fromEntries(listed.map((provider) => [provider.id, provider.keySource]))).toMatchObject({
      moonshot: 'env:MOONSHOT_API_KEY',
      google: 'env:GEMINI_API_KEY',
      openai: 'settings',
      acme: 'env:ACME_API_KEY',
      anthropic: null,
    })
    expect(listed.find((provider) => provider.id === 'acme')).toMatchObject({
      baseURL: 'http://127.0.0.1:9/v1',
      adapter: 'openai-compatible',
      usable: true,
    })
    expect(listed.find((provider) => provider.id === 'anthropic')).toMatchObject({
      usable: false,
      problem: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
    expect(JSON.stringify(listed)).not.toContain(canary)
    expect(models({ env, providers }).redact(`it said ${canary}!`)).toBe('it said [redacted]!')
    expect(models({ env, providers }).redact(`settings-${canary} ${env.ACME_API_KEY}`)).not.toContain(canary)
    expect(models({ env, providers }).keyNames()).toEqual(
      expect.arrayContaining(['OPENAI_API_KEY', 'ACME_API_KEY', 'DASHSCOPE_API_KEY']),
    )
  })

  test('an environment key is never sent to another provider', async () => {
    const before = process.env['OPENAI_API_KEY']
    process.env['OPENAI_API_KEY'] = canary
    try {
      const providers = { other: { type: 'openai', baseURL: server.baseURL('openai') } }
      server.play({ turn: { text: 'ok' } })
      const { model } = await models({ providers, env: process.env }).resolveChatModel('other/wire-1')
      const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] })
      for await (const part of stream) if (part.type === 'error') throw part.error
      expect(JSON.stringify(server.requests[0]?.headers)).not.toContain(canary)
    } finally {
      if (before === undefined) delete process.env['OPENAI_API_KEY']
      else process.env['OPENAI_API_KEY'] = before
    }
  })
})

describe('models that no provider lists', () => {
  const providers = { mine: { baseURL: 'http://127.0.0.1:9/v1', models: ['own'] } }

  test('are listed on request, with their facts, if their provider accepts any id', async () => {
    const also = ['mine/openai/gpt-4o-mini:free', 'mine/own', 'mine/', 'nobody/x', 'demo/other', 'openai/gpt-4o', '']
    const opened = models({ providers })
    const before = await opened.listModels()
    const listed = await opened.listModels({ also: [...also, ...also] })
    expect(listed.slice(before.length)).toMatchObject([
      { ref: 'mine/openai/gpt-4o-mini:free', providerName: 'mine', contextWindow: 128_000, familyId: 'OpenAI' },
    ])
  })

  test('can be typed for providers that are connected, except the demo', async () => {
    const opened = models({ providers, env: { OPENAI_API_KEY: canary } })
    const ids = (await opened.listOpenProviders()).map(({ id }) => id)
    expect(ids).toContain('mine')
    expect(ids).toContain('openai')
    expect(ids).not.toContain('demo')
    expect(ids).not.toContain('anthropic')
  })
})

describe('servers on this machine', () => {
  const local = () => ({
    ollama: { baseURL: server.baseURL('ollama') },
    lmstudio: { baseURL: server.baseURL('lmstudio') },
    llamacpp: { baseURL: server.baseURL('llamacpp') },
    vllm: { baseURL: server.baseURL('vllm') },
  })

  test('are found with their models, and are used if nothing else is available', async () => {
    server.list('ollama', ['qwen3:8b', 'nomic-embed-text'])
    server.list('lmstudio', ['gemma-3-12b'])
    server.list('llamacpp', ['/models/llama-3.gguf'])
    server.list('vllm', ['mistralai/Mistral-Small'])
    const found = models({ providers: local(), probe: true, probeMs: 20_000 })
    expect((await found.listModels()).filter((model) => model.provider !== 'demo')).toMatchObject([
      { ref: 'llamacpp//models/llama-3.gguf', name: 'llama-3.gguf', familyId: 'Meta' },
      { ref: 'lmstudio/gemma-3-12b', familyId: 'Gemma', contextWindow: 32_768 },
      { ref: 'ollama/qwen3:8b', name: 'qwen3:8b (8B)', familyId: 'Qwen' },
      { ref: 'vllm/mistralai/Mistral-Small', familyId: 'Mistral', contextWindow: 8192 },
    ])
    expect((await found.resolveChatModel()).id).toBe('llamacpp//models/llama-3.gguf')
    expect((await found.listProviders()).find((provider) => provider.id === 'ollama')).toMatchObject({
      usable: true,
      probe: { found: true, models: 1 },
    })
  })

  test('OLLAMA_HOST sets the address', async () => {
    server.list('ollama', ['qwen3:8b'])
    const OLLAMA_HOST = server.baseURL('ollama').replace(/\/v1$/, '')
    const found = models({
      env: { OLLAMA_HOST },
      probe: true,
      probeMs: 20_000,
      providers: { lmstudio: { enabled: false }, llamacpp: { enabled: false }, vllm: { enabled: false } },
    })
    expect((await found.resolveChatModel()).id).toBe('ollama/qwen3:8b')
  })

  test('all are asked at once, one that does not answer within 300 ms reports it, and a named one can still be used', async () => {
    const sockets: Socket[] = []
    const asked: number[] = []
    const silent = createServer((socket) => {
      sockets.push(socket)
      asked.push(performance.now())
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const baseURL = `http://127.0.0.1:${port}/v1`
    try {
      const providers = {
        ollama: { baseURL },
        lmstudio: { baseURL },
        llamacpp: { baseURL },
        vllm: { baseURL: 'http://127.0.0.1:1/v1' },
      }
      const none = models({ providers, probe: true })
      expect((await none.resolveChatModel()).id).toBe('demo/tour')
      expect(asked.length).toBeGreaterThanOrEqual(3)
      expect(Math.max(...asked) - Math.min(...asked)).toBeLessThan(300)
      const listed = await none.listProviders()
      expect(listed.find((provider) => provider.id === 'ollama')?.problem).toContain('no response within 300 ms')
      expect(listed.find((provider) => provider.id === 'vllm')?.problem).toContain('no response from 127.0.0.1:1')
      expect((await none.resolveChatModel('ollama/qwen3:8b')).id).toBe('ollama/qwen3:8b')
    } finally {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => silent.close(resolve))
    }
  })
})

describe('testing a provider', () => {
  test('by its list of models, which is stored if the file has none', async () => {
    server.list('custom', ['large-1', 'small-1'])
    const providers = { acme: { baseURL: server.baseURL('custom'), apiKey: canary } }
    const tested = models({ providers })
    expect(await tested.testProvider('acme')).toMatchObject({
      ok: true,
      how: 'list',
      models: [{ id: 'large-1' }, { id: 'small-1' }],
    })
    expect((await tested.resolveChatModel('acme')).id).toBe('acme/large-1')
  })

  test.each(['openai', 'anthropic', 'google', 'deepseek', 'moonshot', 'xai', 'vercel', 'custom'] as const)(
    '%s lists its models',
    async (id) => {
      server.list(id, ['wire-1'])
      const providers = { [id]: { baseURL: server.baseURL(id), apiKey: canary } }
      expect(await models({ providers }).testProvider(id)).toMatchObject({ ok: true, models: [{ id: 'wire-1' }] })
    },
  )

  test('by one question if there is no list', async () => {
    const providers = { qwen: { baseURL: server.baseURL('qwen'), apiKey: canary } }
    server.play({ turn: { text: 'OK' } }, { fault: 'unauthorized' })
    expect(await models({ providers }).testProvider('qwen')).toMatchObject({ ok: true, how: 'answer' })
    const refused = await models({ providers }).testProvider('qwen')
    expect(refused).toMatchObject({ ok: false, error: { name: 'ProviderAuth', data: { statusCode: 401 } } })
    expect(JSON.stringify(refused)).not.toContain(canary)
  })

  test('a URL where nothing listens, and a missing provider', async () => {
    const providers = { acme: { baseURL: 'http://127.0.0.1:1/v1', apiKey: canary } }
    expect(await models({ providers }).testProvider('acme')).toMatchObject({
      ok: false,
      error: { name: 'ProviderConnection' },
    })
    await expect(models().testProvider('acme')).rejects.toMatchObject({ name: 'ProviderNotFound' })
    await expect(models().testProvider('openai')).rejects.toMatchObject({ name: 'ProviderNotConfigured' })
  })
})

describe('templates', () => {
  const templates = [
    {
      id: 'openrouter',
      name: 'OpenRouter',
      adapter: 'openai-compatible',
      baseURL: 'https://openrouter.ai/api/v1',
      apiKey: 'never',
      models: ['a/b', { id: 'c/d', tags: ['chat'], capabilities: { input: ['image'] }, extra: 1 }],
    },
    { id: 'anthropic', baseURL: 'https://eu.example.com/v1' },
    { id: 'acme', baseURL: 'https://acme.example.com' },
    { id: '../etc', adapter: 'openai', baseURL: 'https://x.example.com' },
    { id: 'odd', adapter: 'openai', baseURL: 'javascript:alert(1)' },
  ]
  const expected = {
    openrouter: {
      type: 'openai-compatible',
      name: 'OpenRouter',
      baseURL: 'https://openrouter.ai/api/v1',
      models: ['a/b', { id: 'c/d', tags: ['chat'], capabilities: { input: ['image'] } }],
    },
    anthropic: { type: 'anthropic', baseURL: 'https://eu.example.com/v1' },
  }

  test('come from a file or a URL, contain no keys, and invalid ones are reported', async () => {
    const file = path.join(folder, 'templates.json')
    await writeFile(file, JSON.stringify(templates))
    const imported = await models().importTemplates(file)
    expect(imported.providers).toEqual(expected)
    expect(imported.problems.map(({ id }) => id)).toEqual(['acme', '../etc', 'odd'])
    expect((await models().importTemplates(pathToFileURL(file).href)).providers).toEqual(expected)
    const fetch = async () => Response.json({ providers: templates })
    expect((await models({ fetch }).importTemplates('https://example.com/t.json')).providers).toEqual(expected)
  })

  test.each(['ftp://example.com/t.json', 'data:application/json,[]', '/nowhere/t.json', 'http://127.0.0.1:1/t.json'])(
    '%s is refused',
    async (source) => {
      await expect(models().importTemplates(source)).rejects.toMatchObject({ name: 'BadTemplates' })
    },
  )

  test('an invalid list of templates is rejected', async () => {
    await mkdir(path.join(folder, 'sub'))
    for (const [name, text] of Object.entries({ 'a.json': '{"x":1}', 'b.json': '[1', 'c.json': '' })) {
      await writeFile(path.join(folder, name), text)
      await expect(models().importTemplates(path.join(folder, name))).rejects.toMatchObject({ name: 'BadTemplates' })
    }
    await expect(models().importTemplates(path.join(folder, 'sub'))).rejects.toMatchObject({ name: 'BadTemplates' })
  })
})

import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, refuseAll, send } from '../testing/requests.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { wireServer, type WireServer } from '../testing/wire-server.ts'

const fromEnv = 'sk-from-the-environment-0001'
const fromConfig = 'sk-from-the-config-file-0002'
const patched = 'sk-over-http-"quoted\\-0003'
const keys = [fromEnv, fromConfig, patched, JSON.stringify(patched).slice(1, -1)]

let server: TestServer
let wire: WireServer
beforeAll(async () => {
  wire = await wireServer()
  const own = {
    type: 'openai-compatible',
    baseURL: wire.baseURL('custom'),
    apiKey: fromConfig,
    models: ['m1'],
    note: 'kept',
  }
  server = await testServer({ env: { OPENAI_API_KEY: fromEnv }, config: { providers: { own }, theme: 'mine' } })
})
afterAll(async () => {
  await server.close()
  await wire.close()
})

interface Provider {
  id: string
  usable: boolean
  keySource: string | null
  baseURL: string | null
  models: number
  enabled: boolean
}
const provider = async (id: string): Promise<Provider | undefined> =>
  (await server.json<{ providers: Provider[] }>('/ai/providers')).body.providers.find((one) => one.id === id)

const file = () => path.join(server.homePath, 'config.json')
const settings = () =>
  JSON.parse(readFileSync(file(), 'utf8')) as { theme: string; providers: Record<string, Record<string, unknown>> }

function hidden(text: string): void {
  for (const key of keys) expect(text).not.toContain(key)
}

describe('/ai/providers', () => {
  it('returns the source of a key, and never the key', async () => {
    hidden(await (await server.request('/ai/providers')).text())
    expect(await provider('openai')).toMatchObject({ usable: true, keySource: 'env:OPENAI_API_KEY' })
    expect(await provider('own')).toMatchObject({ usable: true, keySource: 'settings', models: 1 })
    expect(await provider('anthropic')).toMatchObject({ usable: false, keySource: null })
  })

  it('lists its allowed models, and a change of the list keeps their facts', async () => {
    const described = { id: 'm2', name: 'The second', contextWindow: 1000 }
    await server.config.update((current) => ({
      ...current,
      providers: { ...current.providers, listed: { baseURL: wire.baseURL('custom'), models: ['m1', described] } },
    }))
    expect(await provider('listed')).toMatchObject({ onlyModels: ['m1', 'm2'], models: 2 })
    expect(await provider('openai')).toMatchObject({ onlyModels: null })
    await server.request('/ai/providers/listed', { method: 'PATCH', body: { models: ['m2', 'm3'] } })
    expect(settings().providers['listed']?.['models']).toEqual([described, 'm3'])
    const { body } = await server.json<{ models: { ref: string }[] }>('/ai/models')
    const refs = body.models.map(({ ref }) => ref).filter((ref) => ref.startsWith('listed/'))
    expect(refs).toEqual(['listed/m2', 'listed/m3'])
    await server.request('/ai/providers/listed', { method: 'PATCH', body: { enabled: false } })
    expect(await provider('listed')).toMatchObject({ enabled: false, usable: false, onlyModels: ['m2', 'm3'] })
    await server.request('/ai/providers/listed', { method: 'PATCH', body: { enabled: true, models: null } })
    expect(await provider('listed')).toMatchObject({ enabled: true, usable: true, onlyModels: null })
    await server.request('/ai/providers/listed', { method: 'DELETE' })
  })

  it('accepts a key, which takes effect, is stored privately, and can be removed', async () => {
    const answer = await server.request('/ai/providers/anthropic', {
      method: 'PATCH',
      body: { apiKey: patched, baseURL: wire.baseURL('anthropic') },
    })
    expect(answer.status).toBe(200)
    hidden(await answer.text())
    expect(await provider('anthropic')).toMatchObject({
      usable: true,
      keySource: 'settings',
      baseURL: wire.baseURL('anthropic'),
    })
    expect(settings().providers['anthropic']?.['apiKey']).toBe(patched)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(readdirSync(server.homePath).filter((name) => name.startsWith('config.json'))).toEqual(['config.json'])
    wire.play({ turn: { text: 'with the key' } })
    const { message } = await server.chat('keyed', 'hello', { model: 'anthropic/claude-sonnet-4-5' })
    expect(message.parts).toContainEqual({ type: 'text', text: 'with the key', state: 'done' })
    expect(wire.requests.at(-1)?.headers['x-api-key']).toBe(patched)
    await server.request('/ai/providers/anthropic', { method: 'PATCH', body: { apiKey: null } })
    expect(await provider('anthropic')).toMatchObject({ keySource: null })
    expect(settings().providers['anthropic']).toEqual({ baseURL: wire.baseURL('anthropic') })
  })

  it('tests a key before it is stored, changes nothing, and never shows or logs it', async () => {
    const tried = 'sk-only-tried-0004'
    const tryKey = (id: string, body: object) =>
      server.json<{ test: { ok: boolean; error?: { name: string } } }>(`/ai/providers/${id}/try-key`, { body })
    const seen: (string | undefined)[] = []
    const service = createServer((request, response) => {
      const { authorization } = request.headers
      seen.push(authorization, request.headers['x-mine'] as string | undefined)
      const isRefused = seen.length > 4
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isRefused ? { error: { message: `${authorization} is wrong.` } } : { data: [] }))
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const baseURL = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`
    await server.config.update((current) => ({
      ...current,
      providers: { ...current.providers, tried: { baseURL, apiKey: fromConfig, headers: { 'x-mine': 'h' } } },
    }))
    const before = readFileSync(file(), 'utf8')
    expect((await tryKey('tried', { apiKey: tried })).body.test).toMatchObject({ ok: true, how: 'list' })
    expect((await tryKey('openai', { apiKey: tried, baseURL })).body.test.ok).toBe(true)
    expect(seen).toEqual([`Bearer ${tried}`, 'h', `Bearer ${tried}`, undefined])
    const refused = await tryKey('openai', { apiKey: tried, baseURL })
    expect(refused.body.test).toMatchObject({ ok: false, error: { name: 'ProviderAuth' } })
    expect(JSON.stringify(refused.body)).not.toContain(tried)
    // Headers belong to the server they were set for.
    await tryKey('tried', { apiKey: tried, baseURL: baseURL.replace('127.0.0.1', 'localhost') })
    expect(seen.at(-1)).toBeUndefined()
    service.close()
    for (const apiKey of ['line\nbreak-0004', '密钥-0004']) {
      const odd = await tryKey('own', { apiKey })
      expect(odd.body.test?.ok ?? false).toBe(false)
      expect(JSON.stringify(odd.body)).not.toContain('0004')
    }
    expect(readFileSync(file(), 'utf8')).toBe(before)
    expect(server.lines.join('\n')).not.toContain(tried)
    expect(await provider('openai')).toMatchObject({
      keySource: 'env:OPENAI_API_KEY',
      baseURL: 'https://api.openai.com/v1',
    })
    await server.request('/ai/providers/own', { method: 'PATCH', body: { enabled: false } })
    expect((await tryKey('own', { apiKey: tried })).body.test.ok).toBe(true)
    expect(await provider('own')).toMatchObject({ enabled: false })
    await server.request('/ai/providers/own', { method: 'PATCH', body: { enabled: true } })
    await server.request('/ai/providers/tried', { method: 'DELETE' })
    expect((await tryKey('own', { apiKey: '' })).status).toBe(400)
    expect((await tryKey('own', { apiKey: tried, baseURL: 'file:///etc/passwd' })).status).toBe(400)
  })

  it('keeps everything else in the user’s file', async () => {
    await server.request('/ai/providers/own', { method: 'PATCH', body: { enabled: false } })
    expect(await provider('own')).toMatchObject({ enabled: false, usable: false })
    expect(settings()).toMatchObject({
      theme: 'mine',
      providers: { own: { apiKey: fromConfig, note: 'kept', enabled: false } },
    })
    await server.request('/ai/providers/own', { method: 'PATCH', body: { enabled: true } })
  })

  it('keeps a key and headers with their server, and reports dropped ones', async () => {
    const here = wire.baseURL('custom')
    const change = async (body: object) =>
      (await server.json<{ dropped: string[] }>('/ai/providers/moving', { method: 'PATCH', body })).body.dropped
    const begin = () =>
      server.config.update((current) => ({
        ...current,
        providers: { ...current.providers, moving: { baseURL: here, apiKey: fromConfig, headers: { 'x-key': 'h' } } },
      }))
    await begin()
    expect(await change({ models: ['m1'], enabled: true })).toEqual([])
    expect(await change({ baseURL: `${here}/below` })).toEqual([])
    expect(settings().providers['moving']).toMatchObject({ apiKey: fromConfig, headers: { 'x-key': 'h' } })
    for (const moved of [
      { baseURL: 'https://elsewhere.example/v1' },
      { baseURL: 'http://127.0.0.1:1/v1' },
      { baseURL: null, type: 'anthropic' },
    ]) {
      await begin()
      expect(await change(moved)).toEqual(['apiKey', 'headers'])
      expect(settings().providers['moving']).not.toHaveProperty('apiKey')
      expect(settings().providers['moving']).not.toHaveProperty('headers')
    }
    await begin()
    expect(await change({ baseURL: 'https://elsewhere.example/v1', apiKey: patched })).toEqual(['headers'])
    expect(settings().providers['moving']).toMatchObject({ apiKey: patched })
    await server.request('/ai/providers/moving', { method: 'DELETE' })
  })

  it('adds and removes providers of any name', async () => {
    for (const id of ['mine', 'constructor', 'x.y-z_1']) {
      const added = await server.json(`/ai/providers`, {
        body: { id, type: 'openai-compatible', baseURL: wire.baseURL('custom'), models: ['a', 'b'] },
      })
      expect(added).toMatchObject({ status: 201, body: { provider: { id, usable: true, models: 2 } } })
      expect(await server.json('/ai/providers', { body: { id, models: ['c'] } })).toMatchObject({
        status: 409,
        body: { error: { name: 'ProviderExists' } },
      })
      expect(await server.json(`/ai/providers/${id}`, { method: 'DELETE' })).toMatchObject({
        status: 200,
        body: { deleted: id },
      })
      expect(await provider(id)).toBeUndefined()
    }
  })

  it('rejects invalid settings, and stores nothing', async () => {
    const bad = [
      { baseURL: 'javascript:alert(1)' },
      { baseURL: 'ftp://x' },
      { baseURL: 'nonsense' },
      { models: [''] },
      { type: '' },
      { apiKey: 7 },
      { enabled: 'yes' },
      { unknown: 1 },
      { id: 'x' },
      { apiKey: 'x'.repeat(6000) },
    ]
    const patches = bad.map(
      (body) => () => send(server, 'PATCH', '/ai/providers/own', { headers: json, body: JSON.stringify(body) }),
    )
    const ids = ['', '..', 'a/b', '__proto__', 'x'.repeat(65), '-x', 7, null]
    const additions = bad.slice(0, 5).map((body) => ({ id: 'bad', ...body }))
    const posts = [
      ...additions,
      ...ids.map((id) => ({ id, models: ['m'] })),
      { templates: '/nowhere.json' },
      { templates: file() },
      { templates: 'gopher://x' },
    ].map((body) => () => send(server, 'POST', '/ai/providers', { headers: json, body: JSON.stringify(body) }))
    const refusals = await refuseAll(server, [...patches, ...posts])
    expect(refusals.every(({ status }) => status === 400)).toBe(true)
    expect(await provider('own')).toMatchObject({ usable: true })
  })

  it('tests a provider without showing its key', async () => {
    await server.json('/ai/providers/own', { method: 'PATCH', body: { apiKey: patched } })
    const good = await server.request('/ai/providers/own/test', { method: 'POST' })
    expect(good.status).toBe(200)
    const bad = await server.request('/ai/providers/deepseek/test', { method: 'POST' })
    expect(bad.status).toBe(400)
    hidden(await good.text())
    hidden(await bad.text())
  })

  it('has left no key in the log', () => {
    expect(keys.filter((key) => server.lines.join('').includes(key))).toEqual([])
  })
})

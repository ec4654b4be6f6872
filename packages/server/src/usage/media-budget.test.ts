import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { MediaTask } from '@troupe/core'
import type { UsageInfo } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { mediaCost, recordingSeconds } from './media-cost.ts'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let provider: http.Server
let server: TestServer
let requests = 0
let refuses = false

beforeAll(async () => {
  provider = http.createServer((request, response) => {
    requests += 1
    request.resume()
    const json = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (refuses) response.writeHead(400).end()
    else if (request.url?.endsWith('/speech') === true)
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from('ID3 sound'))
    else if (request.url?.endsWith('/transcriptions') === true) json({ text: 'Hello.' })
    else
      json({
        created: 1,
        data: [{ b64_json: pixel }],
        usage: { input_tokens: 100, output_tokens: 1000, total_tokens: 1100 },
      })
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const baseURL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  const paint = { id: 'paint', tags: ['image'], mediaPrice: { perImage: 0.5 } }
  const shop = {
    type: 'openai-compatible',
    baseURL,
    apiKey: 'k',
    models: [paint, { id: 'odd-image', tags: ['image'] }],
  }
  server = await testServer({
    config: {
      providers: { openai: { apiKey: 'sk-secret-secret', baseURL }, shop },
      media: { transcription: 'openai/whisper-1', speech: 'openai/tts-1' },
    },
  })
})
afterAll(async () => {
  await server.close()
  provider.close()
})

/** A recording of one minute: mono, 8000 samples of one byte per second. */
function wav(): Buffer {
  const bytes = Buffer.alloc(44 + 60 * 8000)
  bytes.write('RIFF')
  bytes.writeUInt32LE(8000, 28)
  return bytes
}

const speak = (text: string) => server.fetch('/ai/speech', post(JSON.stringify({ text }), 'application/json'))
const transcribe = () => server.fetch('/ai/transcribe', post(wav(), 'audio/wav'))
const post = (body: string | Buffer, type: string) => ({ method: 'POST', body, headers: { 'content-type': type } })

async function paint(model: string): Promise<MediaTask> {
  const { body } = await server.json<{ taskId: string }>('/ai/image', { body: { prompt: 'hills', model } })
  for (;;) {
    const { task } = (await server.json<{ task: MediaTask }>(`/ai/task/${body.taskId}`)).body
    if (task.status !== 'running') return task
    // The request to the provider needs a turn of the event loop.
    await setImmediate()
  }
}

const usage = async () => (await server.json<UsageInfo>('/ai/usage?days=7')).body
const costs = async () => Object.fromEntries((await usage()).models.map(({ model, cost }) => [model, cost]))

test('images, speech and recordings count by unit or by tokens, and models without a price as calls', async () => {
  expect((await speak('a'.repeat(1000))).status).toBe(200)
  expect((await transcribe()).status).toBe(200)
  for (const model of ['shop/paint', 'openai/gpt-image-1-mini', 'shop/odd-image', 'demo/painter'])
    expect((await paint(model)).status).toBe('done')
  const found = await costs()
  expect(found['openai/tts-1']).toBeCloseTo(0.015, 6)
  expect(found['openai/whisper-1']).toBeCloseTo(0.006, 4)
  expect(found['shop/paint']).toBe(0.5)
  expect(found['openai/gpt-image-1-mini']).toBeCloseTo((100 * 2.5 + 1000 * 8) / 1e6, 9)
  expect((await usage()).models.find(({ model }) => model === 'shop/odd-image')).toMatchObject({ calls: 1, cost: 0 })
  expect(found['demo/painter']).toBeUndefined()
  expect((await usage()).folders.map(({ folder }) => folder)).toEqual([server.workspace.path])
})

test('a used up budget stops images, videos and speech before the provider is asked', async () => {
  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: 0.5 } } })
  const before = requests
  const refused = { error: { name: 'BudgetExceeded' } }
  for (const response of [await speak('more'), await transcribe()])
    expect([response.status, await response.json()]).toMatchObject([402, refused])
  for (const model of ['shop/paint', 'shop/odd-image'])
    expect(await server.json('/ai/image', { body: { prompt: 'x', model } })).toMatchObject({
      status: 402,
      body: { error: { name: 'BudgetExceeded', data: { errorCode: 'insufficient_credits' } } },
    })
  expect(requests).toBe(before)
  expect((await paint('demo/painter')).status).toBe('done')
  await server.json('/ai/config', { method: 'PATCH', body: { budget: { day: null } } })
  expect((await speak('more')).status).toBe(200)
})

test('a call that the provider refuses costs nothing', async () => {
  const before = (await costs())['openai/tts-1']
  refuses = true
  expect((await speak('refused')).status).toBe(502)
  expect((await costs())['openai/tts-1']).toBe(before)
})

test('the cost is that of the units, else of the tokens, else unknown', () => {
  const tokens = { inputTokens: 1_000_000, outputTokens: 0, totalTokens: 1_000_000 }
  expect(mediaCost({ images: 2, tokens }, { price: { input: 3, output: 9 }, mediaPrice: { perImage: 0.1 } })).toBe(0.2)
  expect(mediaCost({ images: 2, tokens }, { price: { input: 3, output: 9 } })).toBe(3)
  expect(mediaCost({ seconds: 2 }, { price: { input: 3, output: 9 } })).toBeUndefined()
  expect(mediaCost({ characters: 10 }, { mediaPrice: { perSecond: 1 } })).toBeUndefined()
  expect(recordingSeconds(wav())).toBeCloseTo(60, 1)
  expect(recordingSeconds(Buffer.alloc(12_000))).toBe(2)
})

import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaTask } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testServer, type TestServer, type TestServerOptions } from '../../test/test-server.ts'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let server: TestServer
let provider: http.Server
let answer: { status: number; body: unknown } = { status: 200, body: {} }
const received: { path: string; body: Record<string, unknown> }[] = []

beforeAll(async () => {
  provider = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      received.push({ path: request.url ?? '', body: JSON.parse(body || '{}') as Record<string, unknown> })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
    })()
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  server = await testServer({
    config: {
      providers: { openai: { apiKey: 'sk-secret-secret', baseURL: `http://127.0.0.1:${port}/v1` } },
    },
  })
})
afterAll(async () => {
  await server.close()
  provider.close()
})

const begin = (body: object, path = '/ai/image') =>
  server.json<{ taskId: string; task: MediaTask; error: { name: string; data: { errorCode: string } } }>(path, { body })

async function ended(taskId: string): Promise<MediaTask> {
  for (;;) {
    const { body } = await server.json<{ task: MediaTask }>(`/ai/task/${taskId}`)
    if (body.task.status !== 'running') return body.task
    await sleep(5)
  }
}

describe('a picture', () => {
  it('is made without a key by the demo, the same for the same words, and given as a blob', async () => {
    const tasks: MediaTask[] = []
    for (const prompt of ['hills', 'hills', 'sea']) {
      const { status, body } = await begin({ prompt, model: 'demo/painter', size: '64x32' })
      expect(status).toBe(202)
      tasks.push(await ended(body.taskId))
    }
    expect(tasks.map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    const [first, second, third] = tasks.map(({ files }) => files[0]!)
    expect(second).toEqual(first)
    expect(third!.sha256).not.toBe(first!.sha256)
    const response = await server.fetch(first!.url)
    expect(response.headers.get('content-type')).toBe('image/png')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([64, 32])
  })

  it('comes from a provider in its own words', async () => {
    answer = { status: 200, body: { created: 1, data: [{ b64_json: pixel }] } }
    const { body } = await begin({ prompt: 'a fox', model: 'openai/gpt-image-2', size: '1024x1024' })
    expect(await ended(body.taskId)).toMatchObject({
      status: 'done',
      model: 'openai/gpt-image-2',
      files: [{ mediaType: 'image/png' }],
    })
    expect(received.at(-1)).toMatchObject({
      path: '/v1/images/generations',
      body: { model: 'gpt-image-2', prompt: 'a fox', size: '1024x1024' },
    })
  })

  it('that fails says why with one of four codes and without the key', async () => {
    for (const [status, type, errorCode] of [
      [401, 'invalid_api_key', 'login_required'],
      [402, 'payment', 'insufficient_credits'],
      [400, 'insufficient_quota', 'insufficient_credits'],
      [404, 'model_not_found', 'no_model'],
      [400, 'content_policy', 'generation_failed'],
    ] as const) {
      answer = { status, body: { error: { message: 'no: sk-secret-secret', type, code: type, param: null } } }
      const { body } = await begin({ prompt: 'x', model: 'openai/gpt-image-2' })
      const task = await ended(body.taskId)
      expect(task).toMatchObject({ status: 'failed', errorCode })
      expect(JSON.stringify(task)).not.toContain('sk-secret')
    }
  })

  it('that nothing can make is refused at once', async () => {
    expect(await begin({ prompt: 'x', model: 'google/veo-3.1-generate-preview' }, '/ai/video')).toMatchObject({
      status: 400,
      body: { error: { name: 'ProviderNotConfigured', data: { errorCode: 'login_required' } } },
    })
    expect(await begin({ prompt: 'x' }, '/ai/vedio')).toMatchObject({
      status: 404,
      body: { error: { name: 'ModelNotFound', data: { errorCode: 'no_model' } } },
    })
    expect(await begin({ prompt: 'x', model: 'demo/tour' })).toMatchObject({ status: 404 })
    expect(await begin({ prompt: 'x', images: ['0'.repeat(64)] })).toMatchObject({
      status: 404,
      body: { error: { name: 'BlobNotFound' } },
    })
  })
})

it('models for pictures and films are listed apart from those that one talks to', async () => {
  const refs = async (path: string): Promise<string[]> =>
    (await server.json<{ models: { ref: string }[] }>(path)).body.models.map(({ ref }) => ref)
  expect(await refs('/ai/image/models')).toEqual(['openai/gpt-image-2', 'openai/gpt-image-1-mini'])
  expect(await refs('/ai/video/models')).toEqual([])
  const talked = await refs('/ai/models?all=1')
  expect(talked).toContain('demo/tour')
  expect(talked.filter((ref) => /painter|image|veo|video|wan/.test(ref))).toEqual([])
})

it('a task that nobody knows is not found', async () => {
  expect((await server.json('/ai/task/task_nowhere')).status).toBe(404)
})

describe('the demo painter', () => {
  async function opened(options: TestServerOptions): Promise<TestServer> {
    const other = await testServer(options)
    onTestFinished(() => other.close())
    return other
  }
  const paint = (model?: string) => [
    [{ call: { name: 'ImageGenerate', input: { prompt: 'a cat', model } } }],
    [{ text: 'Ok.' }],
  ]

  it.each([
    ['nothing is named', {}, undefined],
    ['the settings name it', { media: { image: 'demo/painter' } }, undefined],
    ['the model names it', {}, 'demo/painter'],
  ])('paints nothing for a real model, also where %s', async (_, config, named) => {
    const real = await opened({ config: { ...config, permissions: { allow: ['ImageGenerate'] } } })
    real.script('paint', paint(named))
    const { message, events } = await real.chat('s', 'paint')
    expect(message.parts).toContainEqual(expect.objectContaining({ type: 'tool-ImageGenerate', state: 'output-error' }))
    expect(JSON.stringify(events)).toContain('"errorCode":"no_model"')
    expect(JSON.stringify(message)).not.toContain('demo/painter and shown')
    expect(await real.json('/ai/image', { body: { prompt: 'a cat' } })).toMatchObject({
      status: 404,
      body: { error: { data: { errorCode: 'no_model' } } },
    })
    expect((await real.json('/ai/image/models')).body).toEqual({ models: [] })
  })

  it('paints for the demo, which the settings offer it to', async () => {
    const demo = await opened({ config: { model: 'demo/tour' } })
    const { body } = await demo.json<{ models: { ref: string }[] }>('/ai/image/models')
    expect(body.models.map(({ ref }) => ref)).toEqual(['demo/painter'])
    expect(await demo.json('/ai/image', { body: { prompt: 'hills', size: '64x32' } })).toMatchObject({
      status: 202,
      body: { task: { model: 'demo/painter' } },
    })
  })
})

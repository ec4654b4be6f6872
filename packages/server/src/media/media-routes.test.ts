import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaTask } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testServer, type TestServer, type TestServerOptions, userMessage } from '../testing/test-server.ts'

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
      received.push({
        path: request.url ?? '',
        body: body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : {},
      })
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

  it('is requested in the provider’s own format', async () => {
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

  it('that fails has one of four error codes and no key', async () => {
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

  it('without a capable model is rejected at once', async () => {
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

it('models for images and videos are listed separately from chat models', async () => {
  const refs = async (path: string): Promise<string[]> =>
    (await server.json<{ models: { ref: string }[] }>(path)).body.models.map(({ ref }) => ref)
  expect(await refs('/ai/image/models')).toEqual(['openai/gpt-image-2', 'openai/gpt-image-1-mini'])
  expect(await refs('/ai/video/models')).toEqual([])
  const talked = await refs('/ai/models?all=1')
  expect(talked).toContain('demo/tour')
  expect(talked.filter((ref) => /painter|image|veo|video|wan/.test(ref))).toEqual([])
})

it('an unknown task is not found', async () => {
  expect((await server.json('/ai/task/task_nowhere')).status).toBe(404)
})

it('a model that its provider cannot make films with is not offered, nor suggested', async () => {
  const { port } = provider.address() as AddressInfo
  const other = await testServer({
    config: {
      providers: {
        pix: {
          type: 'openai-compatible',
          baseURL: `http://127.0.0.1:${port}/v1`,
          apiKey: 'k',
          models: [
            { id: 'film-1', tags: ['video'] },
            { id: 'pic-1', tags: ['image'] },
          ],
        },
      },
    },
  })
  onTestFinished(() => other.close())
  expect((await other.json('/ai/video/models')).body).toEqual({ models: [] })
  expect((await other.json('/ai/image/models')).body).toMatchObject({ models: [{ ref: 'pix/pic-1' }] })
  const refused = await other.json('/ai/video', { body: { prompt: 'x', model: 'pix/film-1' } })
  expect(refused).toMatchObject({ status: 404, body: { error: { message: 'pix/film-1 cannot generate videos.' } } })
})

describe('media generated by an agent', () => {
  const allow = ['ImageGenerate', 'Read']
  const call = (name: string, input: object) => [{ call: { name, input } }]

  it('are saved where the user wants, and can be used as input', async () => {
    answer = { status: 200, body: { created: 1, data: [{ b64_json: pixel }] } }
    const { port } = provider.address() as AddressInfo
    const own = await testServer({
      config: {
        providers: { openai: { apiKey: 'sk-secret-secret', baseURL: `http://127.0.0.1:${port}/v1` } },
        permissions: { allow },
      },
    })
    onTestFinished(() => own.close())
    const told = (): string => JSON.stringify(own.model.calls.at(-1)?.prompt)
    const file = path.join(own.workspace.path, 'assets/logo.png')

    own.script('make a logo and put it into assets/', [
      call('image-generate', { prompt: 'a logo', saveTo: 'assets/logo.png' }),
      [{ text: 'Done.' }],
    ])
    const { message } = await own.chat('s', 'make a logo and put it into assets/')
    expect(readFileSync(file).toString('base64')).toBe(pixel)
    expect(told()).toContain('Saved in the workspace as assets/logo.png.')
    const kept = /Stored as (\S+\.png)\./.exec(told())?.[1] as string
    expect(readFileSync(kept).toString('base64')).toBe(pixel)
    expect(message.parts).toContainEqual(expect.objectContaining({ state: 'output-available' }))

    // "Now make it blue": edits the stored image and overwrites its own file.
    own.script('now make it blue', [
      call('ImageGenerate', { prompt: 'the same in blue', images: [kept], save_to: 'assets/logo.png' }),
      call('Read', { file_path: kept }),
      [{ text: 'Blue.' }],
    ])
    await own.chat('s', 'now make it blue')
    expect(received.at(-1)?.path).toBe('/v1/images/edits')
    expect(told()).toContain('is an image (PNG)')
    expect(told().match(/Saved in the workspace as assets\/logo\.png/g)).toHaveLength(2)
    await own.chat('s', '/undo')
    await own.chat('s', '/undo')
    expect(existsSync(file)).toBe(false)
  })

  it.each([
    ['outside', { save_to: '/tmp/elsewhere/x.png' }, 'outside the workspace'],
    ['over a file that it has not seen', { save_to: 'mine.png' }, 'have not read it yet'],
    ['under a name without an ending', { save_to: 'assets' }, 'has no file extension'],
    ['over a folder', { save_to: 'folder.d' }, 'is a folder'],
    ['where a rule forbids it', { save_to: 'secret/x.png' }, 'Edit(secret/**)'],
  ])('are not generated if they would be saved %s', async (_, input, why) => {
    answer = { status: 200, body: { created: 1, data: [{ b64_json: pixel }] } }
    const { port } = provider.address() as AddressInfo
    const own = await testServer({
      config: {
        providers: { openai: { apiKey: 'sk-secret-secret', baseURL: `http://127.0.0.1:${port}/v1` } },
        permissions: { allow, deny: ['Edit(secret/**)'] },
      },
    })
    onTestFinished(() => own.close())
    writeFileSync(path.join(own.workspace.path, 'mine.png'), 'precious')
    mkdirSync(path.join(own.workspace.path, 'folder.d'))
    own.script('paint', [call('ImageGenerate', { prompt: 'x', ...input }), [{ text: 'No.' }]])
    const before = received.length
    await own.chat('s', 'paint', { headless: true })
    expect(JSON.stringify(own.model.calls.at(-1)?.prompt)).toContain(why)
    expect(received.length).toBe(before)
    expect(readFileSync(path.join(own.workspace.path, 'mine.png'), 'utf8')).toBe('precious')
  })
})

describe('a chat with the intent image', () => {
  const ask = (body: object) =>
    server.json<{
      message: StoredMessage
      waiting: boolean
      error: { name: string; message: string; data: { errorCode: string } }
    }>('/ai/chat', { body: { responseMode: 'json', intent: 'image', model: 'openai/gpt-image-2', ...body } })

  it('is answered with the image, which is saved in the folder', async () => {
    answer = { status: 200, body: { created: 1, data: [{ b64_json: pixel }] } }
    const message = userMessage('Paint a tree')
    const body = { sessionId: 'board', message, imageSaveDir: 'pics' }
    const first = await ask(body)
    expect(first).toMatchObject({ status: 200, body: { waiting: false, message: { role: 'assistant' } } })
    const [picture, text] = first.body.message.parts
    expect(picture).toMatchObject({ type: 'file', mediaType: 'image/png' })
    expect(text).toMatchObject({ text: 'Generated by openai/gpt-image-2. Saved as pics/paint-a-tree.png.' })
    const file = path.join(server.workspace.path, 'pics/paint-a-tree.png')
    expect(readFileSync(file).toString('base64')).toBe(pixel)
    const before = received.length
    expect((await ask(body)).body.message.id).toBe(first.body.message.id)
    expect(received.length).toBe(before)
    await ask({ ...body, message: userMessage('Paint a tree') })
    expect(existsSync(path.join(server.workspace.path, 'pics/paint-a-tree-2.png'))).toBe(true)
    expect((await server.messages('board')).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    const chat = await server.chat('board', 'nice')
    expect(chat.status).toBe(200)
    expect(chat.message.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'You said: nice' }))
  })

  it('uses the images of the message, and streams by default', async () => {
    answer = { status: 200, body: { created: 1, data: [{ b64_json: pixel }] } }
    const { parts, ...rest } = userMessage('in blue')
    const url = `data:image/png;base64,${pixel}`
    const message = { ...rest, parts: [...parts, { type: 'file', mediaType: 'image/png', url }] }
    const { types } = await server.chat('board2', message, { intent: 'image', model: 'openai/gpt-image-2' })
    expect(types).toContain('file')
    expect(received.at(-1)?.path).toBe('/v1/images/edits')
  })

  it.each([
    ['a folder outside', { imageSaveDir: '../elsewhere' }, 422, 'BadSaveDir', 'outside the workspace'],
    ['another intent', { intent: 'nonsense' }, 400, 'BadRequest', 'intent'],
    [
      'a folder without the intent',
      { intent: 'chat', model: undefined, imageSaveDir: 'pics' },
      400,
      'BadRequest',
      'imageSaveDir',
    ],
    ['a board', { boardId: 'b1' }, 400, 'BadRequest', 'boardId'],
    ['a project that is not there', { projectId: 'p1' }, 404, 'ProjectNotFound', 'project'],
    [
      'a project that is not there, in a chat',
      { intent: undefined, model: undefined, projectId: 'p1' },
      404,
      'ProjectNotFound',
      'project',
    ],
    ['a model for words', { model: 'demo/tour' }, 404, 'ModelNotFound', 'cannot generate images'],
  ])('that names %s is rejected, and nothing is stored', async (_, more, status, name, said) => {
    const refused = await ask({ sessionId: 'none', message: userMessage('x'), ...more })
    expect(refused).toMatchObject({ status, body: { error: { name, message: expect.stringContaining(said) } } })
    expect((await server.json('/ai/sessions/none')).status).toBe(404)
  })

  it('that fails has a reason, and stores nothing', async () => {
    answer = { status: 402, body: { error: { message: 'no money', type: 'x', code: 'x', param: null } } }
    expect(await ask({ sessionId: 'none', message: userMessage('x') })).toMatchObject({
      status: 502,
      body: { error: { name: 'MediaFailed', data: { errorCode: 'insufficient_credits' } } },
    })
    expect((await server.json('/ai/sessions/none')).status).toBe(404)
  })
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
  ])('generates nothing for a real model, even if %s', async (_, config, named) => {
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

import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const recording = Buffer.from('1a45dfa3 recorded'.repeat(20))

let provider: http.Server
let server: TestServer
let received: { path: string; type: string; body: string }[] = []
let answer: (response: http.ServerResponse) => void

beforeAll(async () => {
  provider = http.createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      received.push({
        path: request.url ?? '',
        type: request.headers['content-type'] ?? '',
        body: Buffer.concat(chunks).toString('latin1'),
      })
      answer(response)
    })()
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  const baseURL = `http://127.0.0.1:${port}/v1`
  server = await testServer({
    config: {
      providers: {
        acme: {
          type: 'openai-compatible',
          baseURL,
          apiKey: 'sk-secret-secret',
          models: ['acme-chat', 'whisper-large-v3', 'kokoro-tts'],
        },
        openai: { apiKey: 'sk-other-secret', baseURL },
      },
    },
  })
})
afterAll(async () => {
  await server.close()
  provider.close()
})
beforeEach(() => {
  received = []
  answer = (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: ' Hello there. ' }))
})

const transcribe = (body: Buffer, type = 'audio/webm') =>
  server.fetch('/ai/transcribe', { method: 'POST', body, headers: { 'content-type': type } })

describe('dictation', () => {
  it.each([
    ['acme/whisper-large-v3', 'whisper-large-v3'],
    ['openai/gpt-4o-mini-transcribe', 'gpt-4o-mini-transcribe'],
  ])('sends the recording to %s and returns its words', async (model, id) => {
    await server.json('/ai/config', { method: 'PATCH', body: { media: { transcription: model } } })
    const response = await transcribe(recording)
    expect([response.status, await response.json()]).toEqual([200, { text: 'Hello there.', model }])
    const [request] = received
    expect(request?.path).toBe('/v1/audio/transcriptions')
    expect(request?.type).toContain('multipart/form-data')
    expect(request?.body).toContain(recording.toString('latin1'))
    expect(request?.body).toContain(`name="model"\r\n\r\n${id}`)
  })

  it('refuses an empty body, another content type and more than 25 MiB', async () => {
    expect((await transcribe(Buffer.alloc(0))).status).toBe(400)
    expect((await transcribe(recording, 'application/json')).status).toBe(400)
    expect((await transcribe(Buffer.alloc(25 * 1024 * 1024 + 1))).status).toBe(413)
    expect(received).toEqual([])
  })

  it('names the model and the cause if the provider refuses, without the key', async () => {
    answer = (response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: 'bad audio for sk-other-secret', type: 'x', code: 'x', param: null } }))
    const response = await transcribe(recording)
    const text = await response.text()
    expect(response.status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({
      error: { name: 'VoiceFailed', message: expect.stringContaining('bad audio') },
    })
    expect(text).not.toContain('sk-other-secret')
  })

  it('returns an empty text for silence', async () => {
    answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: '' }))
    expect(await (await transcribe(recording)).json()).toMatchObject({ text: '' })
  })
})

describe('reading aloud', () => {
  beforeEach(() => {
    answer = (response) => response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from('ID3 sound'))
  })

  it('returns the audio of the chosen model and voice', async () => {
    await server.json('/ai/config', {
      method: 'PATCH',
      body: { media: { speech: 'acme/kokoro-tts', voice: 'af_heart' } },
    })
    const response = await server.fetch('/ai/speech', {
      method: 'POST',
      body: JSON.stringify({ text: 'Hello.' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^audio\//)
    expect(await response.text()).toBe('ID3 sound')
    expect(received[0]?.path).toBe('/v1/audio/speech')
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      model: 'kokoro-tts',
      input: 'Hello.',
      voice: 'af_heart',
    })
  })

  it('refuses nothing to say and too long a text', async () => {
    for (const text of ['  ', 'a'.repeat(4001)])
      expect((await server.json('/ai/speech', { body: { text } })).status).toBe(400)
  })
})

describe('models for speech', () => {
  it('are recognized by their names and cannot be chosen for a chat', async () => {
    const list = async (path: string) =>
      (await server.json<{ models: { ref: string }[] }>(path)).body.models.map(({ ref }) => ref)
    expect(await list('/ai/transcribe/models')).toContain('acme/whisper-large-v3')
    expect(await list('/ai/speech/models')).toContain('acme/kokoro-tts')
    const chat = await list('/ai/models')
    expect(chat).toContain('acme/acme-chat')
    expect(chat.filter((ref) => /whisper|tts|transcribe/.test(ref))).toEqual([])
  })

  it('fail with a next step if no provider has one', async () => {
    const bare = await testServer({})
    try {
      const response = await bare.fetch('/ai/transcribe', {
        method: 'POST',
        body: recording,
        headers: { 'content-type': 'audio/webm' },
      })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        error: { name: 'ModelNotFound', message: expect.stringContaining('Add the API key') },
      })
    } finally {
      await bare.close()
    }
  })
})

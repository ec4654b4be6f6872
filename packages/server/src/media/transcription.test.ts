import { once } from 'node:events'
import { truncateSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { UsageInfo } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { makeWav } from '../../../documents/src/testing/make-wav.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

const details = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 }
const segments = [
  { id: 0, start: 0, end: 2, text: ' Welcome.', ...details },
  { id: 1, start: 62.4, end: 64, text: ' Let us begin.', ...details },
]

let provider: http.Server
let server: TestServer
let bodies: string[] = []
let onRequest: (response: http.ServerResponse) => void

beforeAll(async () => {
  provider = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += (chunk as Buffer).toString('latin1')
      bodies.push(body)
      onRequest(response)
    })()
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  const listen = { id: 'whisper-1', tags: ['transcription'], mediaPrice: { perSecond: 0.25 } }
  server = await testServer({
    config: {
      providers: {
        acme: {
          type: 'openai-compatible',
          baseURL: `http://127.0.0.1:${port}/v1`,
          apiKey: 'sk-secret-secret',
          models: [listen],
        },
      },
      permissions: { allow: ['Transcribe'] },
    },
  })
})
afterAll(async () => {
  await server.close()
  provider.closeAllConnections()
  provider.close()
})
beforeEach(() => {
  bodies = []
  const answer = { task: 'transcribe', text: 'Welcome. Let us begin.', segments }
  onRequest = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})

function save(name: string, bytes: Buffer): string {
  const file = path.join(server.workspace.path, name)
  writeFileSync(file, bytes)
  return file
}

let chats = 0

/** Lets the model call a tool, and returns the prompt with its result. */
async function call(name: string, input: object, more: object = { headless: true }): Promise<string> {
  const words = `call ${++chats}`
  server.script(words, [[{ call: { name, input } }], [{ text: 'Done.' }]])
  await server.chat(`chat-${chats}`, words, more)
  return JSON.stringify(server.model.calls.at(-1)?.prompt)
}

it('Read names the tool, and Transcribe returns the words with their times, counts the length and pays once', async () => {
  save('talk.wav', makeWav(2))
  expect(await call('Read', { file_path: 'talk.wav' })).toContain('Use Transcribe for the spoken words.')
  expect(server.model.calls.at(-1)?.tools?.map(({ name }) => name)).toContain('Transcribe')
  expect(bodies).toEqual([])

  const input = { file_path: 'talk.wav', language: 'en' }
  for (let time = 1; time <= 2; time++) {
    const told = await call('Transcribe', input)
    expect(told).toContain('Transcript of talk.wav by acme/whisper-1.')
    expect(told).toContain(String.raw`[0:00] Welcome.\n[1:02] Let us begin.`)
  }
  expect(bodies).toHaveLength(1)
  expect(bodies[0]).toContain('name="language"\r\n\r\nen')
  const { body } = await server.json<UsageInfo>('/ai/usage?days=7')
  expect(body.models).toContainEqual(expect.objectContaining({ model: 'acme/whisper-1', cost: 0.5 }))
})

it('Transcribe asks first', async () => {
  const { port } = provider.address() as AddressInfo
  const asking = await testServer({
    config: { providers: { openai: { apiKey: 'sk-secret-secret', baseURL: `http://127.0.0.1:${port}/v1` } } },
  })
  onTestFinished(() => asking.close())
  writeFileSync(path.join(asking.workspace.path, 'talk.wav'), makeWav(1))
  asking.script('go', [[{ call: { name: 'Transcribe', input: { file_path: 'talk.wav' } } }], [{ text: 'Done.' }]])
  const { message } = await asking.chat('s', 'go', { headless: true })
  expect(message.parts).toContainEqual(expect.objectContaining({ type: 'tool-Transcribe', state: 'output-denied' }))
  expect(bodies).toEqual([])
})

it.each([
  ['a text', 'notes.txt', /notes\.txt is not an audio or video file/],
  ['a missing file', 'nothing.mp3', /nothing\.mp3/],
  [
    'a long file',
    'long.wav',
    /long\.wav has 26 MiB; transcription takes at most 25 MiB\. Extract a smaller sound track/,
  ],
])('%s is refused before anything is sent', async (_, name, why) => {
  save('notes.txt', Buffer.from('secret notes'))
  truncateSync(save('long.wav', makeWav(1)), 25 * 2 ** 20 + 1)
  expect(await call('Transcribe', { file_path: name })).toMatch(why)
  expect(bodies).toEqual([])
})

it('a refusal of the provider has its reason without the key, and costs nothing', async () => {
  save('refused.wav', makeWav(3))
  const error = { message: 'bad audio for sk-secret-secret', type: 'x', code: 'x', param: null }
  onRequest = (response) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  const told = await call('Transcribe', { file_path: 'refused.wav' })
  expect(told).toContain('acme/whisper-1 failed: bad audio for')
  expect(told).not.toContain('sk-secret-secret')
})

it('a stop ends the request', async () => {
  save('stopped.wav', makeWav(4))
  const closed = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  onRequest = (response) => {
    response.once('close', () => closed.resolve())
    arrived.resolve()
  }
  const done = call('Transcribe', { file_path: 'stopped.wav' })
  await arrived.promise
  await server.json(`/ai/chat/chat-${chats}/stop`, { body: {} })
  await expect(closed.promise).resolves.toBeUndefined()
  await done
})

it('without a transcription model, Read says nothing of it and Transcribe says what to do', async () => {
  const bare = await testServer({})
  onTestFinished(() => bare.close())
  writeFileSync(path.join(bare.workspace.path, 'talk.wav'), makeWav(1))
  const step = (name: string) => [{ call: { name, input: { file_path: 'talk.wav' } } }]
  bare.script('go', [step('Read'), step('Transcribe'), [{ text: 'Done.' }]])
  await bare.chat('s', 'go', { headless: true })
  const told = JSON.stringify(bare.model.calls.at(-1)?.prompt)
  expect(told).not.toContain('Use Transcribe')
  expect(told).toContain('No transcription model is available. Ask the user to add the API key')
})

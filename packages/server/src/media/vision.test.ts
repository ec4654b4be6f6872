import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { imageSize, type PictureFormat } from '@troupe/core'
import { createPictureEditor } from '@troupe/documents'
import type { UsageInfo } from '@troupe/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

interface Asked {
  model: string
  text: string
  image: string | undefined
}

let provider: http.Server
let server: TestServer
let asked: Asked[] = []

/** Two chat models of one provider: one with vision and a price, one without vision. */
beforeAll(async () => {
  provider = http.createServer((request, response) => {
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { model, messages } = JSON.parse(body) as { model: string; messages: { content: unknown }[] }
      const content = JSON.stringify(messages)
      asked.push({ model, text: content, image: /data:image\/(\w+);base64,([\w+/=]+)/.exec(content)?.[0] })
      const text = model === 'eye' ? 'A red square.' : 'I see.'
      const chunk = (delta: object, more: object = {}) =>
        `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...more }], usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } })}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `${chunk({ role: 'assistant', content: text })}${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`,
      )
    })()
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const { port } = provider.address() as AddressInfo
  server = await testServer({
    config: {
      model: 'acme/blind',
      providers: {
        acme: {
          type: 'openai-compatible',
          baseURL: `http://127.0.0.1:${port}/v1`,
          apiKey: 'sk-secret-secret',
          models: [
            { id: 'blind', tags: ['chat'], price: { input: 1, output: 1 } },
            { id: 'eye', tags: ['chat', 'vision'], price: { input: 100, output: 100 } },
          ],
        },
      },
    },
  })
})
afterAll(async () => {
  await server.close()
  provider.closeAllConnections()
  provider.close()
})
beforeEach(() => {
  asked = []
})

const pictures = createPictureEditor()

async function red(width: number, height = width, format: PictureFormat = 'png'): Promise<Buffer> {
  const canvas = { width, height, background: '#f00' }
  const { bytes } = await pictures.edit({ canvas, actions: [], format }, new AbortController().signal)
  return Buffer.from(bytes)
}

async function attach(text: string, image: Buffer, mediaType = 'image/png'): Promise<object> {
  const { body } = await server.json<{ url: string }>('/ai/blobs', {
    body: image,
    headers: { 'content-type': mediaType },
  })
  const file = { type: 'file', mediaType, filename: 'square.png', url: body.url }
  return { id: `m-${text.replaceAll(' ', '-')}`, role: 'user', parts: [{ type: 'text', text }, file] }
}

const setting = (describeImages: string) => server.json('/ai/config', { method: 'PATCH', body: { describeImages } })
const blind = () => asked.filter(({ model }) => model === 'blind').at(-1)?.text ?? ''
const eyes = () => asked.filter(({ model }) => model === 'eye')

it('asks once per chat, describes the image once, and counts the cost', async () => {
  await setting('ask')
  const message = await attach('What is this', await red(10))
  const { types } = await server.chat('s1', message, { clientId: 'page' })
  expect(types).toContain('data-ask')
  expect(asked).toEqual([])
  const { body } = await server.json<{ asks: { id: string; title: string }[] }>('/ai/asks?sessionId=s1')
  expect(body.asks[0]?.title).toBe('acme/blind cannot see images. May acme/eye describe an image for it?')
  const answer = { type: 'answers', answers: { answer: 'Describe in this chat' } }
  expect((await server.json(`/ai/asks/${body.asks[0]?.id}`, { body: { answer } })).status).toBe(200)
  await server.request('/ai/chat/s1/stream').then((response) => response.text())
  expect(eyes()).toHaveLength(1)
  expect(eyes()[0]?.image).toMatch(/^data:image\/png/)
  expect(blind()).toContain('A red square.')
  const { body: rules } = await server.json('/ai/rules?sessionId=s1')
  expect(JSON.stringify(rules)).toContain('DescribeImages')

  await server.chat('s1', await attach('And this', await red(11)), { clientId: 'page' })
  await server.chat('s1', 'And again')
  expect(eyes()).toHaveLength(2)
  expect(blind().match(/A red square\./g)).toHaveLength(2)
  const { body: usage } = await server.json<UsageInfo>('/ai/usage?days=7')
  expect(usage.models).toContainEqual(expect.objectContaining({ model: 'acme/eye', cost: 0.22 }))
})

it('another answer to the same message does not pay again', async () => {
  await setting('always')
  await server.chat('s2', await attach('Look', await red(20)), { headless: true })
  await server.chat('s2', 'unused', { trigger: 'regenerate-message', message: undefined })
  expect(eyes()).toHaveLength(1)
  const [, answer] = (await server.messages('s2')).slice(-2)
  expect(answer?.parts).toContainEqual(expect.objectContaining({ type: 'data-image-description' }))
})

it('a headless run asks nobody, and "never" sends nothing', async () => {
  await setting('ask')
  await server.chat('s3', await attach('Nobody is here', await red(31)), { headless: true })
  expect(eyes()).toEqual([])
  expect(blind()).toContain('does not accept images')
  await setting('never')
  await server.chat('s3', await attach('Nobody is here either', await red(32)))
  expect(eyes()).toEqual([])
})

it('large images and other formats are converted first', async () => {
  await setting('always')
  await server.chat('s4', await attach('Wide', await red(9000, 200)))
  await server.chat('s5', await attach('Tiff', await red(40, 40, 'tiff'), 'image/tiff'))
  expect(eyes().map(({ image = '' }) => image.slice(0, 15))).toEqual(['data:image/jpeg', 'data:image/jpeg'])
  const sent = Buffer.from(/base64,(.*)$/.exec(eyes()[0]?.image ?? '')?.[1] ?? '', 'base64')
  expect(imageSize(sent, 'image/jpeg')?.width).toBe(2000)
})

it('"Always" is kept in the settings', async () => {
  await setting('ask')
  await server.chat('s6', await attach('Always', await red(50)), { clientId: 'page' })
  const { body } = await server.json<{ asks: { id: string; title: string }[] }>('/ai/asks?sessionId=s6')
  const answer = { type: 'answers', answers: { answer: 'Always describe' } }
  await server.json(`/ai/asks/${body.asks[0]?.id}`, { body: { answer } })
  await server.request('/ai/chat/s6/stream').then((response) => response.text())
  const config = JSON.parse(readFileSync(path.join(server.homePath, 'config.json'), 'utf8')) as {
    describeImages: string
  }
  expect(config.describeImages).toBe('always')
  expect(eyes()).toHaveLength(1)
})

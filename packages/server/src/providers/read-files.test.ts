import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const drawing = 'BT /F1 24 Tf 10 50 Td (Hello from a PDF) Tj ET'
const pdf = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length ${drawing.length}>>stream\n${drawing}\nendstream endobj
trailer<</Root 1 0 R>>
%%EOF
`,
)
const image = png.toString('base64')

const seeing = { id: 'seeing', tags: ['chat', 'vision', 'pdf'] }
/** Models to use instead of the provider's own list. */
const own: Partial<Record<WireProvider, object[]>> = {
  custom: [seeing, { id: 'blind' }, { id: 'mistralai/Pixtral-12B', tags: ['chat', 'vision'] }],
  qwen: [{ id: 'seeing', tags: ['chat', 'vision'] }],
  ollama: [{ id: 'seeing', tags: ['chat', 'vision'] }],
}

let wire: WireServer
let server: TestServer
let workspace: string
beforeAll(async () => {
  wire = await wireServer()
  workspace = mkdtempSync(path.join(tmpdir(), 'troupe-files-'))
  writeFileSync(path.join(workspace, 'dot.png'), png)
  writeFileSync(path.join(workspace, 'short.pdf'), pdf)
  const names: WireProvider[] = ['anthropic', 'openai', 'google', 'xai', 'moonshot', 'deepseek', 'vercel']
  const entries = [...names, ...(Object.keys(own) as WireProvider[])].map((id) => [
    id,
    { baseURL: wire.baseURL(id), apiKey: 'canary-key-0123456789', ...(own[id] && { models: own[id] }) },
  ])
  server = await testServer({ workspace, config: { providers: Object.fromEntries(entries) as object } })
})
beforeEach(() => wire.clear())
afterAll(async () => {
  await server.close()
  await wire.close()
  rmSync(workspace, { recursive: true })
})

const imageUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }
const inputImage = { type: 'input_image', image_url: `data:image/png;base64,${image}` }
const ways: [string, object][] = [
  ['anthropic/claude-sonnet-5-5', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }],
  ['openai/gpt-6-sol', inputImage],
  ['google/gemini-3.8-flash', { inlineData: { mimeType: 'image/png', data: image } }],
  ['custom/seeing', imageUrl],
  ['xai/grok-4.7', inputImage],
  ['moonshot/kimi-k3', imageUrl],
  ['deepseek/deepseek-v4-flash-vision-exp', imageUrl],
  ['qwen/seeing', imageUrl],
  ['ollama/seeing', imageUrl],
  [
    'vercel/anthropic/claude-sonnet-5.5',
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', data: { type: 'data', data: image } },
  ],
]

describe('a file opened by Read', () => {
  test.each(ways)('is sent to %s in its provider’s format, after both results', async (model, asImage) => {
    const { messages, told } = await read(model)
    expect(partsOf(messages.at(-1))).toContainEqual(asImage)
    expect(told).toContain('Hello from a PDF')
    expect(told.indexOf('short.pdf is a PDF document')).toBeLessThan(told.indexOf('[The image you read: dot.png]'))
  })

  test('is not sent to a model that cannot see, which gets a note and the text of documents', async () => {
    const { messages, told } = await read('custom/blind')
    expect(messages.map(roleOf)).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
    expect(told).not.toContain(image)
    expect(told).toContain('You cannot see it: this model does not accept images.')
    expect(told).toContain('Hello from a PDF')
  })

  test('has pictures of its pages on request', async () => {
    const pages = { file_path: 'short.pdf', images: true }
    const seen = await read('custom/seeing', 'pictures', pages)
    expect(seen.told).toContain('[short.pdf, p. 1]')
    expect(partsOf(seen.messages.at(-1)).filter((part) => JSON.stringify(part).includes('image/png'))).toHaveLength(2)
    wire.clear()
    const blind = await read('custom/blind', 'blind-pictures', pages)
    expect(blind.told).not.toContain('image/png;base64')
    expect(blind.told).toContain('You cannot see it: this model does not accept images.')
  })

  test('is no longer sent after a switch to a model without support', async () => {
    await read('custom/seeing', 'changed')
    wire.clear()
    wire.play({ turn: { text: 'ok' } })
    await server.chat('changed', 'and now?', { model: 'custom/blind' })
    expect(JSON.stringify(wire.requests[0]?.body)).not.toContain(image)
  })

  test('is sent to a Mistral model after its own text, with valid ids', async () => {
    const { messages } = await read('custom/mistralai/Pixtral-12B')
    expect(messages.map(roleOf)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user'])
    const [calls, first, second] = messages.slice(2) as { tool_calls: { id: string }[]; tool_call_id: string }[]
    const ids = calls?.tool_calls.map((call) => call.id) ?? []
    expect([first?.tool_call_id, second?.tool_call_id]).toEqual(ids)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
  })
})

async function read(
  model: string,
  sessionId = model.replaceAll(/[^\w-]/g, '_'),
  document: object = { file_path: 'short.pdf' },
) {
  const call = (id: string, input: object) => ({ id, name: 'Read', input })
  const calls = [call('call_1', { file_path: 'dot.png' }), call('call_2', document)]
  wire.play({ turn: { calls } }, { turn: { text: 'I see.' } })
  const { message } = await server.chat(sessionId, 'look', { model })
  expect(message.metadata?.error).toBeUndefined()
  expect(message.parts.at(-1)).toMatchObject({ text: 'I see.' })
  const body = wire.requests[1]?.body as Record<string, unknown[]>
  const messages = body['messages'] ?? body['input'] ?? body['contents'] ?? body['prompt'] ?? []
  return { messages, told: JSON.stringify(messages) }
}

function roleOf(message: unknown): string {
  return (message as { role: string }).role
}

function partsOf(message: unknown): unknown[] {
  const { content, parts } = message as { content?: unknown[]; parts?: unknown[] }
  return (content ?? parts ?? []).map(withoutMark)
}

/** Other tests cover cache markers. */
function withoutMark(part: unknown): unknown {
  const { cache_control: _, providerOptions: __, ...rest } = part as Record<string, unknown>
  return rest
}

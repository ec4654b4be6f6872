import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Chat, testServer, type TestServer } from '../testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

const key = 'key-0123456789'
let server: TestServer
let wire: WireServer
beforeAll(async () => {
  wire = await wireServer()
  const ids: WireProvider[] = ['anthropic', 'google', 'openai', 'xai', 'custom', 'qwen', 'vercel']
  const own = ids.map((id) => [id, { baseURL: wire.baseURL(id), apiKey: key }])
  const corp = {
    type: 'openai',
    baseURL: wire.baseURL('openai'),
    apiKey: 'another-key-0123456789',
    models: ['gpt-6-sol'],
  }
  server = await testServer({ config: { providers: { ...(Object.fromEntries(own) as object), corp } } })
})
beforeEach(() => wire.clear())
afterAll(async () => {
  await server.close()
  await wire.close()
})

describe('provider state in answers', () => {
  const sealed = { reasoning: 'Let me think.', text: 'The answer.', sealed: 'c2VhbGVk' }

  it.each(['openai/gpt-6-sol', 'xai/grok-4.7'])(
    '%s stores nothing: its encrypted reasoning is sent along',
    async (model) => {
      wire.play({ turn: sealed }, { turn: { text: 'Next.' } })
      await server.chat(`kept-${model.slice(0, 3)}`, 'go', { model })
      await server.chat(`kept-${model.slice(0, 3)}`, 'on')
      for (const { body } of wire.requests)
        expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
      const [first, next] = wire.requests.map(({ body }) => body as { prompt_cache_key: string; input: unknown[] })
      expect(first!.prompt_cache_key).toMatch(/^[0-9a-f]{32}$/)
      expect(next!.prompt_cache_key).toBe(first!.prompt_cache_key)
      expect(next!.input).toContainEqual(expect.objectContaining({ type: 'reasoning', encrypted_content: 'c2VhbGVk' }))
      expect(JSON.stringify(next)).not.toContain('item_reference')
    },
  )

  it('is not sent to another account or provider', async () => {
    for (const other of ['corp/gpt-6-sol', 'anthropic/claude-sonnet-5-5', 'custom/local']) {
      wire.clear()
      wire.play({ turn: sealed }, { turn: { text: 'Next.' } }, { turn: { text: 'Back.' } })
      const id = `other-${other.split('/')[0]}`
      await server.chat(id, 'go', { model: 'openai/gpt-6-sol' })
      await server.chat(id, 'on', { model: other })
      await server.chat(id, 'back', { model: 'openai/gpt-6-sol' })
      const [, there, back] = wire.requests.map(({ body }) => JSON.stringify(body))
      expect(there).toContain('The answer.')
      expect(there).not.toMatch(/rs_wire|msg_wire|c2VhbGVk/)
      expect(back).toContain('c2VhbGVk')
    }
  })

  it('is left out when the provider no longer knows it', async () => {
    wire.play(
      { turn: sealed },
      { error: { status: 404, message: "Item with id 'rs_wire' not found. Items are not persisted." } },
      { turn: { text: 'Without it.' } },
    )
    await server.chat('forgotten', 'go', { model: 'openai/gpt-6-sol' })
    const chat = await server.chat('forgotten', 'on')
    expect(textOf(chat)).toBe('Without it.')
    expect(chat.message.metadata?.error).toBeUndefined()
    const last = JSON.stringify(wire.requests.at(-1)!.body)
    expect(wire.requests).toHaveLength(3)
    expect(last).toContain('The answer.')
    expect(last).not.toMatch(/rs_wire|c2VhbGVk/)
  })

  it('is omitted only once: a second failure is reported', async () => {
    const fails = { error: { status: 400, message: 'The encrypted content could not be verified.' } }
    wire.play({ turn: sealed }, fails, fails)
    await server.chat('lost', 'go', { model: 'openai/gpt-6-sol' })
    const chat = await server.chat('lost', 'on')
    expect(chat.message.metadata?.error?.name).toBe('ProviderRefused')
    expect(wire.requests).toHaveLength(3)
  })
})

describe('reasoning is requested', () => {
  it('of OpenAI whenever it thinks, of Gemini with any effort', async () => {
    wire.play(...Array.from({ length: 4 }, () => ({ turn: { text: 'Hi.' } })))
    await server.chat('t1', 'go', { model: 'openai/gpt-6-sol' })
    await server.chat('t2', 'go', { model: 'openai/gpt-6-sol', params: { reasoning: 'high' } })
    await server.chat('t3', 'go', { model: 'openai/gpt-4.1' })
    await server.chat('t4', 'go', { model: 'google/gemini-3.8-flash', params: { reasoning: 'high' } })
    const [plain, high, without, gemini] = wire.requests.map(({ body }) => body)
    expect(plain).toMatchObject({ reasoning: { summary: 'auto' } })
    expect(high).toMatchObject({ reasoning: { effort: 'high', summary: 'auto' } })
    expect(without).not.toHaveProperty('reasoning')
    expect(gemini).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } },
    })
  })

  it('but not of an organization that gets no summaries', async () => {
    const message = 'Your organization must be verified to generate reasoning summaries.'
    wire.play({ error: { status: 400, message } }, { turn: { text: 'Hi.' } }, { turn: { text: 'Hi again.' } })
    expect(textOf(await server.chat('t5', 'go', { model: 'openai/gpt-6-sol' }))).toBe('Hi.')
    await server.chat('t5', 'on')
    const asked = wire.requests.map(({ body }) => (body as { reasoning?: { summary?: string } }).reasoning?.summary)
    expect(asked).toEqual(['auto', undefined, undefined])
  })

  it('is parsed from think tags, and the tags are never sent back', async () => {
    for (const text of ['<think>secret plan</think>\n\nThe answer.', 'secret plan</think>\n\nThe answer.']) {
      wire.clear()
      wire.play({ turn: { text }, chunkBytes: 40 }, { turn: { text: 'Next.' } })
      const id = `think-${text.length}`
      const { message } = await server.chat(id, 'go', { model: 'custom/local' })
      expect(message.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))).toEqual(['secret plan'])
      expect(message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(['The answer.'])
      await server.chat(id, 'on')
      const sent = JSON.stringify(wire.requests.at(-1)!.body)
      expect(sent).toContain('The answer.')
      expect(sent).not.toMatch(/secret plan|think>/)
    }
  })
})

describe('a call', () => {
  it.each(['functions.TimeNow', 'TimeNow<|channel|>commentary', 'functions.TimeNow:0', 'default_api.TimeNow'])(
    'of %s is one of TimeNow',
    async (name) => {
      wire.play({ turn: { calls: [{ id: 'call_1', name, input: {} }] } }, { turn: { text: 'Done.' } })
      const { message } = await server.chat(name.replaceAll(/\W/g, '-'), 'go', { model: 'custom/local' })
      expect(message.parts.find((part) => 'toolCallId' in part)).toMatchObject({
        type: 'tool-TimeNow',
        state: 'output-available',
      })
    },
  )

  it('that the provider ran belongs to the provider, with any name', async () => {
    const shell = { action: { commands: ['ls'] } }
    wire.play({ turn: { container: { command: 'ls', output: 'a.txt' }, text: 'There is a.txt.' } })
    const { message } = await server.chat('container', 'go', { model: 'openai/gpt-6-sol' })
    expect(message.metadata?.error).toBeUndefined()
    expect(message.parts.filter((part) => 'toolCallId' in part)).toMatchObject([
      { type: 'dynamic-tool', toolName: 'shell', state: 'output-available', providerExecuted: true, input: shell },
    ])
    expect(wire.requests).toHaveLength(1)
  })

  it('that did not run is reported to the model', async () => {
    wire.play({ turn: { calls: [{ id: 'call_1', name: 'shell', input: { nothing: 1 } }] } }, { turn: { text: 'Oh.' } })
    const { message } = await server.chat('nobody', 'go', { model: 'custom/local' })
    expect(message.parts.find((part) => 'toolCallId' in part)).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('not valid') as string,
    })
    expect(textOf({ message } as Chat)).toBe('Oh.')
  })
})

it('a turn paused by Anthropic continues with the same answer', async () => {
  wire.play({ turn: { text: 'Searching…', ends: { reason: 'pause_turn' } } }, { turn: { text: 'Found.' } })
  const chat = await server.chat('paused', 'go', { model: 'anthropic/claude-sonnet-5-5' })
  expect(textOf(chat)).toBe('Searching…Found.')
  expect(chat.message.metadata?.finishReason).toBe('stop')
  const { messages } = wire.requests[1]!.body as { messages: { role: string }[] }
  expect(messages.at(-1)).toMatchObject({ role: 'assistant' })
})

function textOf({ message }: Chat): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, testServer, type TestServer } from '../testing/test-server.ts'
import type { WireTurn } from '../testing/wire-formats/wire-turn.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

interface Case {
  name: string
  provider: WireProvider
  turns: WireTurn[]
  error?: string
  says?: RegExp
  text?: string
  finishReason?: string
  requests?: number
}

const half = 'The first half of'
const calls = [{ id: 'call_1', name: 'TimeNow', input: {} }]
const bad = { ends: { reason: 'MALFORMED_FUNCTION_CALL', message: 'Malformed function call: call:TimeNow{' } }

const cases: Case[] = [
  {
    name: 'a refusal of Anthropic',
    provider: 'anthropic',
    turns: [{ ends: { reason: 'refusal', category: 'bio', message: 'This falls under the bio policy.' } }],
    error: 'AnswerRefused',
    says: /^anthropic refused to answer \(bio\): This falls under the bio policy\.$/,
    finishReason: 'content-filter',
  },
  {
    name: 'a refusal of Anthropic in the middle',
    provider: 'anthropic',
    turns: [{ text: half, ends: { reason: 'refusal' } }],
    error: 'AnswerRefused',
    says: /^anthropic refused to answer\.$/,
    text: half,
    finishReason: 'content-filter',
  },
  {
    name: 'a prompt that Gemini blocks',
    provider: 'google',
    turns: [{ blocked: 'PROHIBITED_CONTENT' }],
    error: 'AnswerFiltered',
    says: /^google blocked the request \(PROHIBITED_CONTENT\)\.$/,
    finishReason: 'content-filter',
  },
  ...['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'BLOCKLIST', 'LANGUAGE', 'IMAGE_SAFETY'].map(
    (reason): Case => ({
      name: `Gemini's ${reason}`,
      provider: 'google',
      turns: [{ text: half, ends: { reason, message: 'See the policy' } }],
      error: 'AnswerFiltered',
      says: new RegExp(`^google cut the answer off: its content filter reported ${reason}: See the policy\\.$`),
      text: half,
    }),
  ),
  {
    name: 'a malformed call that is right the second time',
    provider: 'google',
    turns: [{ text: 'Let me', ...bad }, { text: 'Here you are.' }],
    text: 'Here you are.',
    requests: 2,
  },
  {
    name: 'a malformed call that stays so',
    provider: 'google',
    turns: [bad, bad],
    error: 'AnswerMalformed',
    says: /^google sent an invalid tool call \(MALFORMED_FUNCTION_CALL\): Malformed function call: call:TimeNow\{\.$/,
    requests: 2,
  },
  {
    name: 'an unexpected call that stays so',
    provider: 'google',
    turns: [{ ends: { reason: 'UNEXPECTED_TOOL_CALL' } }, { ends: { reason: 'UNEXPECTED_TOOL_CALL' } }],
    error: 'AnswerMalformed',
    says: /UNEXPECTED_TOOL_CALL/,
    requests: 2,
  },
  {
    name: "OpenAI's content filter",
    provider: 'openai',
    turns: [{ text: half, ends: { reason: 'content_filter' } }],
    error: 'AnswerFiltered',
    says: /content filter reported content_filter/,
    text: half,
    finishReason: 'content-filter',
  },
  {
    name: 'a refusal of the Responses API',
    provider: 'openai',
    turns: [{ refusal: 'I cannot help with that.' }],
    error: 'AnswerRefused',
    says: /^openai refused to answer\.$/,
    text: 'I cannot help with that.',
  },
  {
    name: 'an incomplete answer of an unknown kind',
    provider: 'openai',
    turns: [{ ends: { reason: 'solar_flare' } }],
    error: 'AnswerEmpty',
    says: /solar_flare/,
  },
  {
    name: 'a refusal of chat completions',
    provider: 'custom',
    turns: [{ refusal: 'I cannot help with that.' }],
    error: 'AnswerRefused',
    text: 'I cannot help with that.',
  },
  {
    name: 'a content filter of chat completions',
    provider: 'custom',
    turns: [{ ends: { reason: 'content_filter' } }],
    error: 'AnswerFiltered',
    says: /^custom withheld the answer/,
  },
  {
    name: "a filter under another provider's own name",
    provider: 'deepseek',
    turns: [{ text: half, ends: { reason: 'sensitive' } }],
    error: 'AnswerFiltered',
    text: half,
  },
  {
    name: 'an end by an error that says nothing else',
    provider: 'custom',
    turns: [{ text: half, ends: { reason: 'error' } }],
    error: 'ProviderError',
    text: half,
  },
  {
    name: 'an answer without anything',
    provider: 'custom',
    turns: [{ text: '' }],
    error: 'AnswerEmpty',
    says: /^custom sent an empty answer/,
  },
  {
    name: 'an answer of thoughts only',
    provider: 'deepseek',
    turns: [{ reasoning: 'Well.' }],
    error: 'AnswerEmpty',
  },
  {
    name: 'an answer that thinks up to the output limit',
    provider: 'deepseek',
    turns: [{ reasoning: 'Well.', finish: 'length' }],
    error: 'AnswerEmpty',
    says: /output limit/,
  },
  { name: 'a silent end after a call', provider: 'anthropic', turns: [{ calls }, {}], requests: 2 },
  {
    name: 'a refusal after a call',
    provider: 'anthropic',
    turns: [{ calls }, { ends: { reason: 'refusal' } }],
    error: 'AnswerRefused',
    requests: 2,
  },
]

const providers = ['anthropic', 'google', 'openai', 'custom', 'deepseek'] as const
let server: TestServer
let wire: WireServer
beforeAll(async () => {
  wire = await wireServer()
  const entries = providers.map((id) => [
    id,
    { baseURL: wire.baseURL(id), apiKey: 'key-0123456789', models: ['wire-1'] },
  ])
  server = await testServer({ config: { providers: Object.fromEntries(entries) as object } })
})
afterAll(async () => {
  await server.close()
  await wire.close()
})

describe('an answer that the provider refused, filtered or broke', () => {
  it.each(cases)('is reported: $name', async ({ name, provider, turns, error, says = /./, text = '', ...rest }) => {
    wire.clear()
    wire.play(...turns.map((turn) => ({ turn })), { turn: { text: 'Good again.' } })
    const sessionId = name.replaceAll(/\W+/g, '-')
    const chat = await server.chat(sessionId, 'go', { model: `${provider}/wire-1` })
    const { metadata } = chat.message
    expect(metadata?.error?.name).toBe(error)
    expect(metadata?.error?.message ?? '.').toMatch(says)
    const told = chat.events.flatMap(({ chunk }) => (chunk.type === 'error' ? [chunk.errorText] : []))
    expect(told).toEqual(error === undefined ? [] : [metadata?.error?.message])
    expect(textOf(chat)).toBe(text)
    if (rest.finishReason !== undefined) expect(metadata?.finishReason).toBe(rest.finishReason)
    expect(metadata?.usage?.inputTokens).toBeGreaterThan(0)
    expect(wire.requests).toHaveLength(rest.requests ?? 1)
    if (error !== undefined) {
      const page = await (await server.request(`/ai/sessions/${sessionId}/export?format=md`)).text()
      expect(page).toContain(error)
    }
    expect(textOf(await server.chat(sessionId, 'next'))).toBe('Good again.')
  })
})

function textOf({ message }: Chat): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

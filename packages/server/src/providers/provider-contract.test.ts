import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describeProviderError, isUnfinished } from '@troupe/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { createModels } from '../models/models.ts'
import {
  slicedFetch,
  type WireFault,
  type WireProvider,
  wireProviders,
  wireServer,
  type WireServer,
} from '../testing/wire-server.ts'

const apiKey = 'canary-key-0123456789'
const text = 'Grüße, 世界! 👩‍👩‍👧‍👦 한국어 🏳️‍🌈 — naïve\n```ts\nconst x = "\\u0000"\n```'
const reasoning = '先想一想… then 🤔 answer.'
const calls = [
  { id: 'call_one', name: 'Weather', input: { city: '東京', note: 'a "quoted" \\ line\nbreak 🌦️', days: 3 } },
  { id: 'call_two', name: 'Weather', input: { city: 'Zürich', days: 1 } },
]
// Pieces of one byte cut everywhere, and large ones hold several events.
const sizes = full ? [1, 7, 997] : [1, 997]

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
beforeEach(() => server.clear())
afterAll(() => server.close())

describe.each(Object.keys(wireProviders) as WireProvider[])('%s', (id) => {
  const hasReasoning = id !== 'custom'

  test.each(sizes)('text and reasoning arrive whole in pieces of %i bytes', async (bytes) => {
    server.play({ turn: { text, reasoning } })
    const answer = await collect(await model(id, slicedFetch(bytes)))
    expect(answer.text).toBe(text)
    expect(answer.reasoning).toBe(hasReasoning ? reasoning : '')
    expect(answer.finish?.finishReason).toMatchObject({ unified: 'stop' })
    expect(answer.finish?.usage.inputTokens).toMatchObject({ total: 120, cacheRead: 20 })
    expect(answer.finish?.usage.outputTokens.total).toBe(40)
  })

  test.each(sizes)('calls arrive whole in pieces of %i bytes, two in one answer', async (bytes) => {
    server.play({ turn: { text: 'Looking…', calls } })
    const answer = await collect(await model(id, slicedFetch(bytes)))
    expect(answer.text).toBe('Looking…')
    expect(answer.calls.map((call) => ({ name: call.toolName, input: JSON.parse(call.input) }))).toEqual(
      calls.map(({ name, input }) => ({ name, input })),
    )
    expect(new Set(answer.calls.map((call) => call.toolCallId)).size).toBe(2)
    for (const call of answer.calls) expect(answer.inputs.get(call.toolCallId)).toBe(call.input)
    expect(answer.finish?.finishReason.unified).toBe('tool-calls')
  })

  test('an answer cut at the token limit is marked, and its cut call is invalid', async () => {
    server.play({ turn: { text: 'Half', calls: calls.slice(0, 1), finish: 'length', cutCall: true }, chunkBytes: 7 })
    const answer = await collect(await model(id))
    expect(answer.finish?.finishReason.unified).toBe('length')
    expect(answer.text).toBe('Half')
    for (const call of answer.calls) expect(() => JSON.parse(call.input) as unknown).toThrow(SyntaxError)
  })

  test('the key and the question are sent to the provider', async () => {
    server.play({ turn: { text: 'ok' } })
    await collect(await model(id))
    const request = server.requests.at(-1)
    expect(JSON.stringify(request?.headers)).toContain(apiKey)
    expect(JSON.stringify(request?.body)).toContain('How is the weather?')
    expect(JSON.stringify(request?.body)).toContain('Weather')
  })

  const faults: [WireFault, string, object][] = [
    ['unauthorized', 'ProviderAuth', { statusCode: 401, retryable: false }],
    ['refused', 'ProviderRefused', { statusCode: 400, retryable: false }],
    ['context-too-long', 'ContextTooLong', { retryable: false }],
    ['rate-limit', 'ProviderRateLimit', { statusCode: 429, retryable: true }],
    ['rate-limit-seconds', 'ProviderRateLimit', { retryable: true, retryAfterMs: 2000 }],
    ['rate-limit-ms', 'ProviderRateLimit', { retryable: true, retryAfterMs: 20 }],
    ['server-error', 'ProviderOverloaded', { statusCode: 500, retryable: true }],
    ['overloaded', 'ProviderOverloaded', { statusCode: 529, retryable: true }],
    ['html-200', 'ProviderBadAnswer', { retryable: false }],
    ['html-502', 'ProviderOverloaded', { statusCode: 502, retryable: true }],
    ['json-200', 'ProviderBadAnswer', { statusCode: 200 }],
    ['cut-json', 'ProviderBadAnswer', { retryable: true }],
    ['error-event', 'ProviderOverloaded', { retryable: true }],
    ['reset-start', 'ProviderConnection', { retryable: true }],
    ['reset', 'ProviderConnection', { retryable: true }],
  ]
  test.each(faults)('%s is %s', async (fault, name, data) => {
    server.play({ fault, turn: { text, calls }, chunkBytes: 97, at: 0.7 })
    const error = await failure(await model(id))
    expect(error).toMatchObject({ name, data: { ...data, model: 'wire-1' } })
    expect(error.message).not.toContain(apiKey)
  })

  test('a date in Retry-After becomes a time to wait', async () => {
    server.play({ fault: 'rate-limit-date' })
    const { data } = await failure(await model(id))
    expect(data['retryAfterMs']).toBeGreaterThan(1000)
    expect(data['retryAfterMs']).toBeLessThanOrEqual(3000)
  })

  test('a stream that is cut at a clean border is unfinished', async () => {
    server.play({ fault: 'cut-stream', turn: { text, calls }, chunkBytes: 97, at: 0.3 })
    expect(await failure(await model(id))).toMatchObject({ name: 'ProviderBadAnswer', data: { retryable: true } })
  })

  test.each(['stall-start', 'stall'] as const)('%s ends with the signal', async (fault) => {
    server.play({ fault, turn: { text }, chunkBytes: 97 })
    const stop = new AbortController()
    const arrived = server.nextRequest()
    const pending = failure(await model(id), stop.signal, () =>
      stop.abort(new DOMException('too slow', 'TimeoutError')),
    )
    await arrived
    if (fault === 'stall-start') stop.abort(new DOMException('too slow', 'TimeoutError'))
    expect((await pending).name).toBe('ProviderStall')
  })
})

async function model(id: WireProvider, fetch?: typeof globalThis.fetch): Promise<LanguageModelV4> {
  const settings = { [id]: { baseURL: server.baseURL(id), apiKey } }
  const models = createModels({
    settings: () => settings,
    env: {},
    defaultModel: () => undefined,
    probe: false,
    ...(fetch && { fetch }),
  })
  return (await models.resolveChatModel(`${id}/wire-1`)).model
}

type Part<T> = Extract<LanguageModelV4StreamPart, { type: T }>

interface Answer {
  text: string
  reasoning: string
  calls: Part<'tool-call'>[]
  inputs: Map<string, string>
  finish?: Part<'finish'>
}

/** Throws like the loop: on an `error` part and on an invalid finish. */
async function collect(model: LanguageModelV4, signal?: AbortSignal, onText?: () => void): Promise<Answer> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'How is the weather?' }] }],
    tools: [
      {
        type: 'function',
        name: 'Weather',
        description: 'The weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ],
    ...(signal && { abortSignal: signal }),
  })
  const answer: Answer = { text: '', reasoning: '', calls: [], inputs: new Map() }
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') {
      answer.text += part.delta
      onText?.()
    }
    if (part.type === 'reasoning-delta') answer.reasoning += part.delta
    if (part.type === 'tool-input-delta') answer.inputs.set(part.id, (answer.inputs.get(part.id) ?? '') + part.delta)
    if (part.type === 'tool-call') answer.calls.push(part)
    if (part.type === 'finish') answer.finish = part
  }
  if (!answer.finish || isUnfinished(answer.finish.finishReason)) throw new SyntaxError('the answer has no end')
  return answer
}

async function failure(model: LanguageModelV4, signal?: AbortSignal, onText?: () => void) {
  try {
    const answer = await collect(model, signal, onText)
    throw new Error(`it answered: ${JSON.stringify(answer)}`)
  } catch (error) {
    return describeProviderError(error, { provider: model.provider, model: model.modelId })
  }
}

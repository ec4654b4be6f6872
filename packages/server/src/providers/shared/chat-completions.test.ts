import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatCompletions, commonUsage } from '../../testing/wire-formats/chat-completions.ts'
import type { WireTurn } from '../../testing/wire-formats/wire-turn.ts'
import { readChatCompletions } from './chat-completions.ts'
import { guardFetch } from './guard-fetch.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'
const call: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] }

interface Reply {
  body: Iterable<string | Uint8Array>
  status?: number
  /** Breaks the connection after the body. */
  breaks?: Error
}

/** Reads one reply with the SDK and with our reader. */
async function both(reply: Reply, options = call): Promise<{ sdk: Outcome; ours: Outcome }> {
  const requests: unknown[] = []
  const model = sdkModel(reply, requests)
  const sdk = await read(model, options)
  const ours = await read(readChatCompletions(model), options)
  expect(requests[1]).toEqual(requests[0])
  return { sdk, ours }
}

function sdkModel(reply: Reply, requests: unknown[] = [], response?: Response): LanguageModelV4 {
  const host = { name: 'some-host', baseURL: 'http://host/v1', apiKey: 'key', includeUsage: true }
  const answer = (url: unknown, { signal: _, ...init }: RequestInit = {}): Promise<Response> => {
    requests.push([url, init])
    return Promise.resolve(response ?? respond(reply))
  }
  return createOpenAICompatible({ ...host, fetch: guardFetch(answer, (text) => text) })('m')
}

function respond({ body, status = 200, breaks }: Reply): Response {
  const encoder = new TextEncoder()
  const pieces = body[Symbol.iterator]()
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value: piece } = pieces.next()
      if (done !== true) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
      else if (breaks === undefined) controller.close()
      else controller.error(breaks)
    },
  })
  return new Response(stream, { status, headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r1' } })
}

interface Outcome {
  parts: unknown[]
  thrown?: unknown
  about?: unknown
}

async function read(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Outcome> {
  const parts: LanguageModelV4StreamPart[] = []
  try {
    const { stream, request, response } = await model.doStream(options)
    const about = { request, response }
    try {
      for await (const part of stream) parts.push(part)
    } catch (error) {
      return { parts: comparable(parts), thrown: facts(error), about }
    }
    return { parts: comparable(parts), about }
  } catch (error) {
    return { parts: [], thrown: facts(error) }
  }
}

/** Replaces generated call IDs, which are random, and errors, which carry stacks. */
function comparable(parts: LanguageModelV4StreamPart[]): unknown[] {
  const ids = new Map<string, string>()
  const known = (id: string): string => {
    if (/^[A-Za-z0-9]{16}$/.test(id) && !ids.has(id)) ids.set(id, `generated ${ids.size}`)
    return ids.get(id) ?? id
  }
  return parts.map((part) => {
    if (part.type === 'error') return { ...part, error: facts(part.error) }
    if (part.type === 'tool-call') return { ...part, toolCallId: known(part.toolCallId) }
    return 'id' in part && part.id !== undefined ? { ...part, id: known(part.id) } : part
  })
}

function facts(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack: _, cause, ...rest } = error as Error & Record<string, unknown>
  return { name, message, rest: { ...rest }, ...(cause !== undefined && { cause: facts(cause) }) }
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (given: object, rest: object = {}): string =>
  event({
    id: 'c1',
    created: 1_760_000_000,
    model: 'm',
    choices: [{ index: 0, delta: given, finish_reason: null }],
    ...rest,
  })
const end = (reason: string): string => event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const done = 'data: [DONE]\n\n'
const toolCall = (given: object): string => delta({ tool_calls: [given] })

const replies: Record<string, (string | Uint8Array)[]> = {
  text: [
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Hi' }),
    delta({ content: ' there' }),
    end('stop'),
    done,
  ],
  'reasoning, then text, then reasoning': [
    delta({ reasoning_content: 'Hm' }),
    delta({ reasoning: ' yes' }),
    delta({ content: 'So' }),
    delta({ reasoning_content: 'wait', content: 'no' }),
    end('stop'),
  ],
  'a call in pieces': [
    toolCall({ index: 0, id: 'k1', type: 'function', function: { name: 'Read', arguments: '' } }),
    toolCall({ index: 0, function: { arguments: '{"pa' } }),
    toolCall({ index: 0, function: { arguments: 'th":"a"}' } }),
    end('tool_calls'),
    done,
  ],
  'two calls at once, after reasoning': [
    delta({ reasoning: 'I need both.' }),
    delta({
      tool_calls: [
        { index: 0, id: 'k1', function: { name: 'Read', arguments: '{}' } },
        { index: 1, id: 'k2', function: { name: 'Read', arguments: '{"a":1}' } },
      ],
    }),
    end('tool_calls'),
  ],
  'a call whose name comes late': [
    toolCall({ index: 0, id: 'k1', function: { arguments: '{' } }),
    toolCall({ index: 0, function: { arguments: '"a":' } }),
    toolCall({ index: 0, function: { name: 'Read', arguments: '1' } }),
    toolCall({ index: 0, function: { arguments: '}' } }),
    end('tool_calls'),
  ],
  'a call whose name never comes': [
    delta({ content: 'Hi' }),
    toolCall({ index: 0, function: { arguments: '{}' } }),
    end('stop'),
  ],
  'a call without index and name': [delta({ content: 'Hi' }), toolCall({ id: 'k1', function: { arguments: '{}' } })],
  'a call without an id': [toolCall({ function: { name: 'Read', arguments: '{}' } }), end('tool_calls')],
  'a thought signature': [
    toolCall({
      index: 0,
      id: 'k1',
      function: { name: 'Read', arguments: '{}' },
      extra_content: { google: { thought_signature: 's' } },
    }),
    end('tool_calls'),
  ],
  'a refusal with the end': [event({ choices: [{ delta: { refusal: 'No.' }, finish_reason: 'stop' }] })],
  'a refusal that is no text': [delta({ refusal: false, content: 'Yes' }), end('stop')],
  'content in parts': [
    delta({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }, null, { type: 'image' }] },
        { type: 'text', text: 'Yes' },
        { type: 'text', text: '' },
        { type: 'other' },
      ],
    }),
    end('stop'),
  ],
  'two choices': [
    event({ choices: [{ delta: { content: 'first' } }, { delta: { content: 'second' } }] }),
    event({ choices: [{ delta: {} }, { delta: { content: 5 } }] }),
    end('stop'),
  ],
  'usage with details': [
    delta({ content: 'Hi' }),
    end('length'),
    event({
      choices: [],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1, more: true },
        completion_tokens_details: {
          reasoning_tokens: 1,
          accepted_prediction_tokens: 4,
          rejected_prediction_tokens: 0,
        },
        cost: 0.1,
      },
    }),
    done,
  ],
  'usage that is no number': [delta({ content: 'Hi' }, { usage: { prompt_tokens: '3' } }), end('stop')],
  'a number out of range': ['data: {"choices":[],"created":1e999}\n\n', end('stop')],
  'metadata that comes late': [event({ id: '', created: 0, choices: [] }), delta({ content: 'Hi' }), end('stop')],
  'an error in the middle': [
    delta({ content: 'Hi' }),
    event({ error: { message: 'overloaded', type: 'server_error', code: 529 } }),
    end('stop'),
  ],
  'an error last': [delta({ content: 'Hi' }), event({ error: { message: 'overloaded' } })],
  'an error of another shape': [event({ error: 'overloaded' }), event({ detail: 'overloaded' })],
  'a chunk with an error and choices': [event({ choices: [], error: { message: 'bad' } }), end('stop')],
  'malformed JSON': [delta({ content: 'Hi' }), 'data: {"choices":[\n\n', delta({ content: '!' }), end('stop')],
  'values that are no object': [
    'data: 1\n\n',
    'data: null\n\n',
    'data: []\n\n',
    'data:\n\n',
    'data: "a"\n\n',
    end('stop'),
  ],
  'an odd role': [delta({ role: 'tool', content: 'Hi' }), end('stop')],
  'keys of a prototype': [
    'data: {"choices":[],"__proto__":{"a":1}}\n\n',
    'data: {"choices":[],"\\u005f_proto__":{"a":1}}\n\n',
    'data: {"choices":[],"constructor":{"prototype":{}}}\n\n',
    delta({ content: 'a "constructor": is a word' }),
    end('stop'),
  ],
  'no end': [delta({ content: 'Hi' })],
  nothing: [],
  'only the last line': [done],
  'an event cut off': [delta({ content: 'Hi' }), end('stop').trimEnd()],
  'other line ends and fields': [
    delta({ content: 'a' }).replaceAll('\n', '\r\n'),
    delta({ content: 'b' }).replaceAll('\n', '\r'),
    `: comment\nevent: x\nid: 7\nretry: 1\nretry: soon\nnonsense\n${delta({ content: 'c' })}`,
    delta({ content: 'd' }).replace('data: ', 'data:'),
    'data: {"choices":\ndata: [{"delta":{"content":"e"}}]}\n\n',
    end('stop'),
  ],
  'a byte order mark': ['\uFEFF', delta({ content: 'Hi' }), end('stop')],
  'bytes that are no UTF-8': [
    new Uint8Array([...Buffer.from(delta({ content: 'a?b' }))].map((b) => (b === 63 ? 0xff : b))),
    end('stop'),
  ],
}

const turns: Record<string, WireTurn> = {
  'a wire turn': { reasoning: 'I think so.', text: 'It is 5 o’clock 🕔.' },
  'a wire turn with calls': { text: 'Let me look.', calls: [{ id: 'k1', name: 'Read', input: { path: 'ä' } }] },
  'a wire turn that is refused': { refusal: 'I cannot say.' },
  'a wire turn that breaks': { text: 'Let', error: { message: 'overloaded', type: 'server_error' } },
}
const wire = chatCompletions({ reasoning: 'reasoning_content', usage: commonUsage, usageAlone: true })
for (const [name, turn] of Object.entries(turns)) replies[name] = wire.events(turn, 'm')

describe('our reader and the SDK return the same parts for', () => {
  it.each(Object.entries(replies))('%s', async (_, body) => {
    const { sdk, ours } = await both({ body })
    expect(startOf(ours, sdk)).toEqual(sdk)
    const bytes = Buffer.concat(body.map((piece) => Buffer.from(piece)))
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
    for (const pieces of [[bytes], single])
      expect(await read(readChatCompletions(sdkModel({ body: pieces })), call)).toEqual(ours)
  })

  it.each([
    [
      'a broken connection',
      Object.assign(new TypeError('terminated'), {
        cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      }),
    ],
    ['an aborted call', new DOMException('This operation was aborted', 'AbortError')],
    ['any other failure', new Error('too long')],
  ])('%s', async (_, breaks) => {
    const { sdk, ours } = await both({ body: [delta({ content: 'Hi' })], breaks })
    expect(ours.thrown).toBeDefined()
    expect(startOf(ours, sdk)).toEqual(sdk)
    // The SDK may lose what has come before.
    expect(ours.parts.at(-1)).toEqual({ type: 'text-delta', id: 'txt-0', delta: 'Hi' })
  })

  it.each([
    [400, '{"error":{"message":"no such model","code":"missing"}}'],
    [500, 'Internal error'],
    [429, ''],
  ])('an answer with status %d', async (status, body) => {
    const { sdk, ours } = await both({ body: [body], status })
    expect(ours.thrown).toBeDefined()
    expect(ours).toEqual(sdk)
  })

  it('requests with tools and options of the provider', async () => {
    const { sdk, ours } = await both(
      { body: [toolCall({ index: 0, function: { name: 'Read', arguments: '{}' } }), end('tool_calls')] },
      {
        ...call,
        tools: [{ type: 'function', name: 'Read', inputSchema: { type: 'object', properties: {} } }],
        toolChoice: { type: 'auto' },
        topK: 3,
        reasoning: 'high',
        headers: { 'x-more': '1' },
        providerOptions: { someHost: { user: 'u1', extra: true }, 'some-host': { also: 1 } },
      },
    )
    expect(ours).toEqual(sdk)
  })

  it('any stream, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.infiniteStream(fc.nat(40)), async (lines, sizes) => {
        const { sdk, ours } = await both({ body: cut(Buffer.from(lines.join('')), sizes) })
        expect(startOf(ours, sdk)).toEqual(sdk)
      }),
      { numRuns: full ? 20_000 : 80 },
    )
  })
})

describe('our reader', () => {
  it('ends an endless event, and keeps the text before it', async () => {
    const endless: Iterable<string> = (function* () {
      yield delta({ content: 'It begins.' })
      for (;;) yield `data: ${'x'.repeat(1 << 20)}\n`
    })()
    const { parts, thrown } = await read(readChatCompletions(sdkModel({ body: endless })), call)
    expect(parts.at(-1)).toMatchObject({ delta: 'It begins.' })
    expect(thrown).toMatchObject({ name: 'AnswerTooLong' })
  })

  it('ends the request when the reader leaves', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(delta({ content: 'Hi' }))),
      cancel: () => void (isCancelled = true),
    })
    const { stream } = await readChatCompletions(sdkModel({ body: [] }, [], new Response(body))).doStream(call)
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
    expect(isCancelled).toBe(true)
  })
})

/** The SDK drops parts that were not read yet when a stream fails. Ours come first. */
function startOf(ours: Outcome, sdk: Outcome): Outcome {
  return ours.thrown === undefined ? ours : { ...ours, parts: ours.parts.slice(0, sdk.parts.length) }
}

function cut(bytes: Buffer, sizes: Iterator<number>): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += pieces.at(-1)!.length)
    pieces.push(bytes.subarray(at, at + 1 + (sizes.next().value as number)))
  return pieces
}

const odd = fc.constantFrom<unknown>(null, false, 0, 1.5, '', 'x', [], {}, [1])
const rarely = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  rarely(
    fc.record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, rarely(value)])), {
      requiredKeys: [],
    }),
  )
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '{', '}', '{"a":1}', '__proto__', '🦊'),
)
const calls = fc.array(
  some({
    index: fc.nat(2),
    id: fc.constantFrom('k1', 'k2', ''),
    function: some({ name: fc.constantFrom('Read', 'Write', ''), arguments: text }),
    extra_content: some({ google: some({ thought_signature: text }) }),
  }),
  { maxLength: 2 },
)
const content = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.array(
    some({
      type: fc.constantFrom('text', 'thinking'),
      text,
      thinking: fc.array(some({ type: fc.constant('text'), text })),
    }),
  ),
)
const chunk = some({
  id: fc.constantFrom('c1', ''),
  created: fc.constantFrom(0, 1_760_000_000),
  model: text,
  choices: fc.array(
    some({
      delta: some({
        role: fc.constant('assistant'),
        content,
        refusal: text,
        reasoning: text,
        reasoning_content: text,
        tool_calls: calls,
      }),
      finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'odd'),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  usage: some({
    prompt_tokens: fc.nat(),
    completion_tokens: fc.nat(),
    prompt_tokens_details: some({ cached_tokens: fc.nat() }),
    completion_tokens_details: some({ reasoning_tokens: fc.nat(), accepted_prediction_tokens: fc.nat() }),
  }),
})
const failure = fc.record({ error: some({ message: text, code: fc.nat() }) })
const lineEnd = fc.oneof(
  { weight: 8, arbitrary: fc.constant('\n\n') },
  fc.constantFrom('\r\n\r\n', '\r\r', '\n', '', '\n\r\n'),
)
const json = fc.oneof({ weight: 12, arbitrary: chunk }, failure).map((value) => JSON.stringify(value))
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(fc.constantFrom('data: ', 'data:'), json, lineEnd).map((pieces) => pieces.join('')),
  },
  fc.tuple(json, fc.nat(30)).map(([whole, length]) => `data: ${whole.slice(0, length)}\n\n`),
  fc.constantFrom(done, ': ping\n\n', 'event: x\nid: 1\n', 'data\n\n', '\n', 'nonsense\n'),
)

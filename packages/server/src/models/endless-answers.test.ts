import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const filler = 'x'.repeat(60_000)
const delta = (given: object): string =>
  `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, delta: given }] })}\n\n`
const call = (given: object): object => ({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: given }] })

interface Endless {
  status?: number
  type?: string
  first?: string
  again: string
}

const answers: Record<string, Endless> = {
  text: { first: delta({ content: 'It begins. ' }), again: delta({ content: filler }) },
  arguments: {
    first: delta({ content: 'It begins. ' }) + delta(call({ name: 'TodoWrite', arguments: '{"a":"' })),
    again: delta(call({ arguments: filler })),
  },
  'a line': { first: delta({ content: 'It begins. ' }), again: filler },
  'a line of another type': { type: 'application/octet-stream', again: filler },
  'an event': { first: delta({ content: 'It begins. ' }), again: `data: ${filler}\n` },
  'an error': { status: 400, type: 'application/json', again: filler },
  'a web page': { type: 'text/html', again: filler },
}

let server: TestServer
let open = 0
const provider = createServer((request, response) => {
  request.resume()
  const model = decodeURIComponent((request.url ?? '').split('/')[1] ?? '')
  sendForever(response, answers[model] ?? { type: 'application/json', again: filler })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  const names = Object.keys(answers)
  const entry = (name: string) => ({
    type: 'openai-compatible',
    apiKey: 'k',
    baseURL: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    models: [{ id: 'm' }],
  })
  const providers = Object.fromEntries(names.map((name, number) => [`p${number}`, entry(name)]))
  server = await testServer({ config: { providers: { ...providers, list: entry('list') } } })
})
afterAll(async () => {
  await server.close()
  provider.closeAllConnections()
  await new Promise((resolve) => provider.close(resolve))
})

describe('an endless provider', () => {
  it.each([
    ['text', 'AnswerTooLong', 'It begins. '],
    ['arguments', 'AnswerTooLong', 'It begins. '],
    ['a line', 'AnswerTooLong', 'It begins. '],
    ['a line of another type', 'AnswerTooLong', ''],
    ['an event', 'AnswerTooLong', 'It begins. '],
    ['an error', 'ProviderRefused', ''],
    ['a web page', 'ProviderBadAnswer', ''],
  ])('%s: the call ends with %s and the text so far is kept', async (name, error, kept) => {
    const number = Object.keys(answers).indexOf(name)
    const { message, events } = await server.chat(`s${number}`, 'hello', { model: `p${number}/m` })
    expect(message.metadata?.error?.name).toBe(error)
    const text = message.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
    expect(text.startsWith(kept)).toBe(true)
    expect(JSON.stringify(message).length).toBeLessThan(20 << 20)
    expect(events.length).toBeGreaterThan(1)
    const stored = (await server.messages(`s${number}`)).at(-1)
    expect(stored?.metadata?.error?.name).toBe(error)
    expect((await server.chat(`s${number}`, 'again', { model: 'test/script' })).message.metadata?.error).toBeUndefined()
    await expect.poll(() => open).toBe(0)
  })

  it('a list of models: the error is reported', async () => {
    const { body } = await server.json<{ test: unknown }>('/ai/providers/list/test', { method: 'POST' })
    expect(JSON.stringify(body.test)).toContain('answered with more than 32 MiB')
  })
})

function sendForever(response: ServerResponse, { status = 200, type, first = '', again }: Endless): void {
  open++
  response.writeHead(status, { 'content-type': type ?? 'text/event-stream' })
  response.write(first)
  response.once('close', () => open--)
  const more = (): void => {
    while (!response.destroyed && response.write(again));
  }
  response.on('drain', more)
  more()
}

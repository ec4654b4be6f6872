import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { createMcpService } from './create-mcp-server.ts'
import { serveOverHttp } from './serve.ts'

let server: TestServer
let served: { url: string; close(): Promise<void> }
const slow = `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  name: 'slow', description: 'Takes its time.', input: z.object({}), readOnly: true, group: 'test',
  async execute(_, ctx) {
    for (const delta of ['one', 'two', 'three']) {
      ctx.emit('tool-progress', { toolCallId: ctx.toolCallId, delta }, { transient: true })
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return 'done at last'
  },
})`

beforeAll(async () => {
  server = await testServer({ tools: { slow } })
  const offer = await createMcpService({
    fetch: (target, init) => server.fetch(target, init),
    tools: ['slow'],
    agents: [],
    version: '1',
  })
  served = await serveOverHttp(offer, { port: 0, token: server.token })
})
afterAll(async () => {
  await served.close()
  await server.close()
})

const version = '2025-11-25'
function ask(method: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(served.url, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
  })
}

async function begin(): Promise<Record<string, string>> {
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  const response = await ask('POST', { id: 1, method: 'initialize', params })
  await response.text()
  const session = response.headers.get('mcp-session-id') as string
  expect(session).toMatch(/^[0-9a-f-]{36}$/)
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': version }
  await ask('POST', { method: 'notifications/initialized' }, headers)
  return headers
}

interface Told {
  params?: { data?: unknown }
  result?: object
}

/** Reads up to `end`, then drops the connection. */
async function readUntil(response: Response, end: RegExp): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let done = false; !end.test(text) && !done;) {
    const read = await reader.read()
    text += read.value ?? ''
    ;({ done } = read)
  }
  await reader.cancel()
  return text
}

const call = { id: 2, method: 'tools/call', params: { name: 'slow', arguments: {} } }

test('a client whose stream broke gets the missed messages', async () => {
  const headers = await begin()
  const response = await ask('POST', call, headers)
  const seen = await readUntil(response, /"one"/)
  // The stream starts with a resume id and a retry interval.
  expect(seen).toMatch(/^(?:id|retry): [^\n]+\n(?:id|retry): [^\n]+\ndata: ?\n\n/)
  const last = [...seen.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] as string
  const again = await readUntil(await ask('GET', undefined, { ...headers, 'last-event-id': last }), /"id":2\b.*\n/)
  const missed = Array.from(again.matchAll(/^data: (.+)$/gm), ([, data]) => JSON.parse(data as string) as Told)
  expect(missed.map(({ params, result }) => params?.data ?? result)).toEqual([
    'two',
    'three',
    { content: [{ type: 'text', text: 'done at last' }] },
  ])
})

test('a session keeps its state, ends on request, and belongs to one client', async () => {
  const headers = await begin()
  const quiet = await ask('POST', { id: 3, method: 'logging/setLevel', params: { level: 'error' } }, headers)
  expect(quiet.status).toBe(200)
  await quiet.text()
  const answer = await (await ask('POST', call, headers)).text()
  expect(answer).toContain('done at last')
  expect(answer).not.toContain('notifications/message')
  expect((await ask('DELETE', undefined, headers)).status).toBe(200)
  expect((await ask('POST', call, headers)).status).toBe(404)
  expect((await ask('POST', call, { ...headers, 'mcp-session-id': 'guessed' })).status).toBe(404)
})

test('a client without a handshake gets an answer, too', async () => {
  const response = await ask('POST', call, { 'mcp-protocol-version': version })
  expect(await response.text()).toContain('done at last')
  expect(response.headers.get('mcp-session-id')).toBeNull()
})

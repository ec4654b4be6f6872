import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setImmediate as soon } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { testToolContext } from '../testing/index.ts'
import { unwrapResult } from '../tool/tool.ts'
import { createTransport } from './create-transport.ts'
import { createMcpServer, type McpServer } from './mcp-server.ts'

interface Message {
  id?: number
  method?: string
  params?: { arguments?: { text?: string } }
}

interface SseServer {
  url: string
  /** Bytes per write. 0 writes everything at once. */
  chunk: number
  opened: number
  /** Messages for a session without a new handshake. */
  strays: number
  headers: IncomingMessage['headers'][]
  drop(): void
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

/** Starts a legacy SSE server: answers arrive on one long stream, which names the URL for messages. */
async function serve(): Promise<SseServer> {
  const streams = new Map<string, { response: ServerResponse; begun: boolean; last: Promise<void> }>()
  const server = createServer((request, response) => void answer(request, response))
  const state: SseServer = {
    url: '',
    chunk: 0,
    opened: 0,
    strays: 0,
    headers: [],
    drop: () => streams.values().forEach(({ response }) => response.destroy()),
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    state.headers.push(request.headers)
    if (request.method === 'GET' && pathname === '/sse') {
      const id = String(++state.opened)
      streams.set(id, { response, begun: false, last: Promise.resolve() })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.once('close', () => streams.delete(id))
      return write(id, `event: endpoint\r\ndata: /messages?id=${id}\r\n\r\n`)
    }
    if (request.method !== 'POST') return void response.writeHead(404).end()
    const id = searchParams.get('id') ?? ''
    const stream = streams.get(id)
    const message = JSON.parse(await readText(request)) as Message
    if (stream === undefined) return void response.writeHead(404).end()
    response.writeHead(202).end('Accepted')
    if (message.method === 'initialize') stream.begun = true
    if (!stream.begun) state.strays++
    if (message.id === undefined) return
    if (message.params?.arguments?.text === 'never') return
    const result = results[message.method ?? '']?.(message)
    const data = JSON.stringify({ jsonrpc: '2.0', id: message.id, result }, null, 1)
    await write(id, `: hello\n\nid: 1\n${data.replace(/^/gm, 'data: ')}\n\n`)
  }
  function write(id: string, text: string): Promise<void> {
    const stream = streams.get(id)
    if (stream === undefined) return Promise.resolve()
    stream.last = stream.last.then(async () => {
      const bytes = Buffer.from(text)
      const size = state.chunk === 0 ? bytes.length : state.chunk
      for (let from = 0; from < bytes.length; from += size) {
        stream.response.write(bytes.subarray(from, from + size))
        await soon()
      }
    })
    return stream.last
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  })
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`
  return state
}

const results: Record<string, (message: Message) => unknown> = {
  initialize: () => ({
    protocolVersion: '2024-11-05',
    capabilities: { tools: {} },
    serverInfo: { name: 'older', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params?.arguments?.text }] }),
}

function start(url: string, backoffMs = 20): McpServer {
  let known: string | undefined
  const server = createMcpServer({
    name: 'older',
    backoffMs,
    trusted: { get: () => known, set: (next) => void (known = next) },
    transport: (onText) => createTransport({ type: 'sse', url, headers: { 'x-key': 'mine' } }, { folder: '/', onText }),
    onChange() {
      for (const tell of changed.splice(0)) tell()
    },
  })
  open.push(server)
  return server
}

const changed: (() => void)[] = []
async function inState(server: McpServer, state: McpServer['state']): Promise<void> {
  while (server.state !== state) await new Promise<void>((resolve) => changed.push(resolve))
}

async function echo(server: McpServer, text: string): Promise<unknown> {
  return unwrapResult(await server.tools()[0]?.execute({ text }, testToolContext())).output
}

test.each([0, 1, 2, 3, 7, 64])('messages arrive whole in pieces of %d bytes', async (chunk) => {
  const far = await serve()
  far.chunk = chunk
  const server = start(far.url)
  await server.connect()
  expect(server.error).toBeUndefined()
  expect(await echo(server, 'grüße, 世界 🎭\r\nand more')).toBe('grüße, 世界 🎭\r\nand more')
  expect(far.headers.every((headers) => headers['x-key'] === 'mine')).toBe(true)
})

test('a broken stream ends its calls with a reason, and reconnects with a handshake', async () => {
  const far = await serve()
  const server = start(far.url)
  await server.connect()
  const lost = echo(server, 'never')
  await soon()
  const failed = inState(server, 'failed')
  far.drop()
  await expect(lost).rejects.toThrow(
    'The MCP server "older" closed its event stream during the call, so its outcome is unknown.',
  )
  await failed
  await inState(server, 'ready')
  expect(far.opened).toBe(2)
  expect(await echo(server, 'back')).toBe('back')
  expect(far.strays).toBe(0)
})

test('a URL without an event stream is reported', async () => {
  const far = await serve()
  const server = start(far.url.replace('/sse', '/nowhere'), 60_000)
  await server.connect()
  expect(server.state).toBe('failed')
  expect(server.error).toContain('The MCP server "older" ')
})
